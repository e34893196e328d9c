internal import Glibc
internal import Threading

/// A program that a test runs without a shell, with its standard output and error gathered while it runs.
///
/// Blocking, for tests; every wait ends after `WaitLimit.programMilliseconds`, which only a failing test reaches. Let go while it runs,
/// it is killed. It starts with no signal blocked or ignored, whatever the test's process does with them.
package final class ChildProcess: Sendable {
    package enum Failure: Error {
        case cannotStart(Int32), stillRunning, endedBySignal(Int32), missingOutput
        /// No line holds this text: the program closed its output before, or took too long.
        case missingLine(String, hasClosed: Bool, written: String)
    }

    package enum End: Equatable, Sendable {
        /// By itself, with this code.
        case exit(Int32)
        case signal(Int32)
    }

    package enum ErrorOutput: Sendable {
        case gathered
        /// It goes where the standard output goes.
        case joined
        /// The descriptor is closed from the start.
        case closed
        /// It is a pipe that nobody has open for reading.
        case broken
        /// It is a pipe of one page that nobody reads.
        case unread
    }

    // One at a time, so that no program inherits the pipes of another.
    // Of a value that takes room: to the thread sanitizer an empty one is the pointer beside it.
    private static let starting = Monitor(0)

    package let output: GatheredOutput
    package let errors: GatheredOutput
    /// Its number, which is its own until it has ended.
    package let identifier: Int32
    private let end: Monitor<End?>
    private let waiter: DedicatedThread
    private let unreadPipe: Int32?

    /// Starts a program.
    /// - Parameters:
    ///   - program: its path, or a name without a slash that is looked for in PATH.
    ///   - arguments: without the program's own name; bytes, because an operating system's arguments are.
    ///   - environment: variables to add to those of the test's process.
    ///   - input: the file that it reads as its standard input.
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

    /// Runs `body` while no program is being started here that could inherit a descriptor.
    static func withoutStarts<Result>(_ body: () -> Result) -> Result {
        starting.withLock { _ in body() }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        // Under the lock nobody reaps it, so the number is still its own.
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

    /// Waits for its end, which must be its own doing, and gives its exit code.
    package func exitCode() throws -> Int32 {
        switch try waitForEnd() {
        case .exit(let code): return code
        case .signal(let signal): throw Failure.endedBySignal(signal)
        }
    }
}

extension ChildProcess.ErrorOutput {
    /// What the program gets as its standard error; nil for nothing.
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

/// A command line tool run to its end, with what it wrote to stdout and stderr together.
package struct Command: Sendable {
    package let status: Int32
    package let output: String

    /// Runs the tool, found by PATH, with nothing to read.
    /// - Throws: when it cannot be started, or was ended by a signal.
    package init(_ program: String, _ arguments: String...) throws {
        let process = try ChildProcess(program, arguments.map { Array($0.utf8) }, errors: .joined)
        status = try process.exitCode()
        output = try process.output.text()
    }
}
