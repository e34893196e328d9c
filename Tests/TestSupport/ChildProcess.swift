internal import Glibc
internal import Threading

/// A program that a test runs without a shell. Threads collect its standard output and error while it runs.
///
/// Blocking, for tests; every wait ends after `WaitLimit.programMilliseconds`, which only a failing test reaches. It is killed if it is
/// released while it runs. No signal is blocked or ignored at its start, for any signal mask of the test's process.
package final class ChildProcess: Sendable {
    package enum Failure: Error {
        case cannotStart(Int32), stillRunning, endedBySignal(Int32), missingOutput
        /// No line contains this text: the program closed its output before, or took too long.
        case missingLine(String, hasClosed: Bool, written: String)
    }

    package enum End: Equatable, Sendable {
        /// The program exited with this code.
        case exit(Int32)
        case signal(Int32)
    }

    package enum ErrorOutput: Sendable {
        case gathered
        /// The same pipe as the standard output.
        case joined
        /// The descriptor is closed from the start.
        case closed
        /// A pipe whose reading end is closed.
        case broken
        /// A pipe of one page that is never read.
        case unread
    }

    // Serialized, so that no program inherits the pipes of another.
    // Of a type with a size: the thread sanitizer confuses an empty value with the pointer beside it.
    private static let starting = Monitor(0)

    package let output: GatheredOutput
    package let errors: GatheredOutput
    /// The process ID, which is not reused until the program was reaped.
    package let identifier: Int32
    private let end: Monitor<End?>
    private let waiter: DedicatedThread
    private let unreadPipe: Int32?

    /// Starts a program.
    /// - Parameters:
    ///   - program: its path, or a name without a slash that is searched in PATH.
    ///   - arguments: without the program's own name; bytes, like an operating system's arguments.
    ///   - environment: variables to add to those of the test's process.
    ///   - input: the file for the program's standard input.
    package init(
        _ program: String, _ arguments: [[UInt8]], environment: [String: String] = [:], input: String = "/dev/null",
        errors errorOutput: ErrorOutput = .gathered
    ) throws {
        let (identifier, output, errors) = try Self.starting.withLock { _ in
            Result { try Self.start(program, arguments: arguments, environment: environment, input: input, errorOutput: errorOutput) }
        }.get()
        unreadPipe = errorOutput == .unread ? errors : nil
        self.output = GatheredOutput(reading: output)
        self.errors = GatheredOutput(reading: errorOutput == .unread ? nil : errors)
        let end = Monitor<End?>(nil)
        self.identifier = identifier
        self.end = end
        waiter = startThread { reap(identifier, end) }
    }

    deinit {
        send(SIGKILL)
        waiter.join()
        if let unreadPipe { close(unreadPipe) }
    }

    private static func start(
        _ program: String, arguments: [[UInt8]], environment: [String: String], input: String, errorOutput: ErrorOutput
    ) throws -> (identifier: pid_t, output: Int32, errors: Int32?) {
        let output = try Pipe()
        let errors = try Pipe()
        if errorOutput == .unread { errors.shrink() }
        defer {
            output.closeWriting()
            errors.closeWriting()
        }
        let setup = SpawnSetup(input: input, output: output.writing, errors: errorOutput.descriptor(output, errors))
        do {
            let identifier = try setup.start(program, arguments, environment: environment)
            if errorOutput != .broken { return (identifier, output.reading, errors.reading) }
            errors.closeReading()
            return (identifier, output.reading, nil)
        } catch {
            output.closeReading()
            errors.closeReading()
            throw error
        }
    }

    /// Runs `body` while no program is being started that could inherit a descriptor.
    static func withoutStarts<Result>(_ body: () -> Result) -> Result {
        starting.withLock { _ in body() }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        // Under the lock the program is not reaped, so the process ID is still valid.
        end.withLock { if $0 == nil { _ = kill(identifier, signal) } }
    }

    /// Whether it has not ended yet.
    package var isRunning: Bool {
        end.withLock { $0 == nil }
    }

    package func waitForEnd() throws -> End {
        guard let end = end.wait(timeoutMilliseconds: WaitLimit.programMilliseconds, { $0 }) else { throw Failure.stillRunning }
        return end
    }

    /// Waits until the program exits, and returns the exit code. An end by a signal is an error.
    package func exitCode() throws -> Int32 {
        switch try waitForEnd() {
        case .exit(let code): return code
        case .signal(let signal): throw Failure.endedBySignal(signal)
        }
    }
}

extension ChildProcess.ErrorOutput {
    /// The descriptor for the program's standard error; nil for none.
    fileprivate func descriptor(_ output: Pipe, _ errors: Pipe) -> Int32? {
        switch self {
        case .gathered, .broken, .unread: errors.writing
        case .joined: output.writing
        case .closed: nil
        }
    }
}

/// The thread that waits for the program's end.
private func reap(_ identifier: pid_t, _ end: Monitor<ChildProcess.End?>) {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0 {}
    end.update { end in
        var status: Int32 = 0
        unsafe waitpid(identifier, &status, 0)
        // wait(2): the low seven bits are the signal, the next byte after them the exit code.
        end = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }
}

/// A command line tool that runs to its end, with its standard output and error together.
package struct Command: Sendable {
    package let status: Int32
    package let output: String

    /// Runs the tool, searched in PATH, with an empty standard input.
    /// - Throws: when it cannot be started, or is ended by a signal.
    package init(_ program: String, _ arguments: String...) throws {
        let process = try ChildProcess(program, arguments.map { Array($0.utf8) }, errors: .joined)
        status = try process.exitCode()
        output = try process.output.text()
    }
}
