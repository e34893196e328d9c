internal import Configuration
internal import Observability
internal import Threading
internal import Time

/// A thread that repeats a short task until it is stopped.
final class PeriodicTasks: Sendable {
    private let isEnding: Monitor<Bool>
    private let thread: DedicatedThread

    /// Starts the thread.
    /// - Throws: when the thread cannot be started.
    init(everyMilliseconds interval: UInt64 = 5_000, _ work: @escaping @Sendable () -> Void) throws(ThreadError) {
        let isEnding = Monitor(false)
        self.isEnding = isEnding
        thread = try DedicatedThread {
            while isEnding.wait(timeoutMilliseconds: interval, { $0 ? true : nil }) == nil { work() }
        }
    }

    /// Ends the thread. Call it once, and not from the task.
    func stop() {
        isEnding.update { $0 = true }
        thread.join()
    }
}

/// Logs the configuration's warnings: when it is applied, and once a day, because certificates expire.
final class WarningLog: Sendable {
    private static let daySeconds: UInt64 = 24 * 3600

    private let logger: Logger
    private let clocks: Clocks
    private let reported: Monitor<(configuration: Configuration, at: UnixSeconds)>

    init(_ configuration: Configuration, logger: Logger, clocks: Clocks) {
        self.logger = logger
        self.clocks = clocks
        reported = Monitor((configuration, clocks.unixSeconds()))
        tell(configuration)
    }

    func tell(_ configuration: Configuration) {
        let now = clocks.unixSeconds()
        reported.withLock { $0 = (configuration, now) }
        for warning in configuration.warnings(now: now) {
            logger.log(.warning, message: "configuration", fields: ["path": .string(warning.path), "warning": .string(warning.message)])
        }
    }

    /// Logs the warnings again if a day has passed.
    func logDaily() {
        let now = clocks.unixSeconds()
        let (configuration, at) = reported.withLock { $0 }
        if now >= at + Self.daySeconds { tell(configuration) }
    }
}
