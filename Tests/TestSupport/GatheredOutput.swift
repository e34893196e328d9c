internal import Glibc
internal import Threading

/// What a program wrote to one of its descriptors, gathered by a thread while it runs.
package final class GatheredOutput: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
    }

    private let state: Monitor<State>
    private let reader: DedicatedThread?

    /// Reads the descriptor to its end and closes it; nil is nothing to read.
    init(reading descriptor: Int32?) {
        let state = Monitor(State(isComplete: descriptor == nil))
        self.state = state
        reader = descriptor.map { descriptor in
            startThread {
                while let part = readPart(of: descriptor) { state.update { $0.bytes += part } }
                close(descriptor)
                state.update { $0.isComplete = true }
            }
        }
    }

    deinit {
        reader?.join()
    }

    /// Everything, once the program has closed it.
    package func bytes() throws -> [UInt8] {
        let patience = WaitLimit.programMilliseconds
        guard let bytes = state.wait(timeoutMilliseconds: patience, { $0.isComplete ? $0.bytes : nil }) else {
            throw ChildProcess.Failure.stillRunning
        }
        return bytes
    }

    /// Everything as text; bytes that are not UTF-8 are repaired, which no test of exact bytes relies on.
    package func text() throws -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    /// Waits for the first whole line that holds `text`, at or after line number `start`, counted from 0.
    /// - Returns: the line without its end, and its number.
    /// - Throws: when the program closes it without such a line, or writes none in time, with all that it did write.
    package func line(containing text: String, from start: Int = 0) throws -> (text: String, number: Int) {
        let found = state.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { state -> (text: String, number: Int)?? in
            let lines = state.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            for (number, line) in lines.enumerated().dropFirst(start) {
                let line = String(decoding: line, as: UTF8.self)
                if line.contains(text) { return .some((line, number)) }
            }
            return state.isComplete ? .some(nil) : nil
        }
        guard let line = found ?? nil else {
            let written = state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
            throw ChildProcess.Failure.missingLine(text, hasClosed: found != nil, written: written)
        }
        return line
    }
}
