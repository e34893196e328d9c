internal import Glibc
internal import Threading

/// The output of a program to one of its descriptors, collected by a thread while it runs.
package final class GatheredOutput: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
    }

    private let state: Monitor<State>
    private let reader: DedicatedThread?

    /// Reads the descriptor to its end and closes it; nil means no output.
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

    /// The complete output, once the program has closed it.
    package func bytes() throws -> [UInt8] {
        let patience = WaitLimit.programMilliseconds
        guard let bytes = state.wait(timeoutMilliseconds: patience, { $0.isComplete ? $0.bytes : nil }) else {
            throw ChildProcess.Failure.stillRunning
        }
        return bytes
    }

    /// The complete output as text. Invalid UTF-8 is repaired, so tests of exact bytes use `bytes`.
    package func text() throws -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    /// Waits for the first whole line that contains `text`, at or after line number `start`, counted from 0.
    /// - Returns: the line without its end, and its number.
    /// - Throws: when the program closes its output without such a line or reaches the time limit; the error contains the output.
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
