package import Observability
internal import POSIX
internal import Threading
internal import Time

/// Tells the service manager that started this process how the service is (`Type=notify`, sd_notify(3)): when it serves, reloads and stops,
/// and, if a watchdog is set, that it is alive.
package final class Supervisor: Sendable {
    /// The variables in which the manager requests messages.
    private enum Variable {
        static let socket = "NOTIFY_SOCKET"
        static let watchdog = "WATCHDOG_USEC"
        static let watchedProcess = "WATCHDOG_PID"
    }

    /// The number of messages to a watchdog within its time, so that one late message does not end the service.
    private static let messagesPerTime: UInt64 = 4
    /// The interval of checking the status, in milliseconds; it is reported when it has changed.
    private static let statusMilliseconds: UInt64 = 1_000
    private static let stoppingStatus = "stopping"

    /// The interval of reports to the watchdog, in milliseconds; nil without a watchdog.
    let notificationIntervalMilliseconds: UInt64?
    private let socket: NotifySocket
    private let logger: Logger
    private let service: RunningService
    private let liveness: Liveness
    private let reportedStatus = Monitor("")
    private let threads = Monitor<[PeriodicTasks]>([])

    /// Prepares the messages and sends none.
    /// - Parameters:
    ///   - environment: looks up environment variables.
    ///   - process: the id of this process.
    /// - Returns: nil when no manager requests messages, or its socket cannot be used, which the log reports.
    package init?(
        _ service: RunningService, logger: Logger, environment: (String) -> String? = { Process.environment($0) },
        process: Int32 = Process.identifier
    ) {
        guard let path = environment(Variable.socket), !path.isEmpty else { return nil }
        do throws(SystemError) {
            socket = try NotifySocket(path)
        } catch {
            Self.warn(logger, error)
            return nil
        }
        let isMeant = environment(Variable.watchedProcess).map { $0 == "\(process)" } ?? true
        let microseconds = isMeant ? environment(Variable.watchdog).flatMap { UInt64($0) } ?? 0 : 0
        notificationIntervalMilliseconds = microseconds == 0 ? nil : max(1, microseconds / 1000 / Self.messagesPerTime)
        self.logger = logger
        self.service = service
        liveness = Liveness(service)
    }

    /// The maximum time between two calls of `beat` by the main loop, in milliseconds; nil without a watchdog.
    package var beatMilliseconds: UInt64? { notificationIntervalMilliseconds.map { max(1, $0 / 2) } }

    /// Reports that the service is ready, and begins to report its status, and to the watchdog that it is alive. Call it once, when the
    /// listeners are open.
    package func start() {
        serving()
        begin(everyMilliseconds: Self.statusMilliseconds, orLog: "the service manager gets no status of the service") { [self] in
            notify(service.statusLine)
        }
        guard let interval = notificationIntervalMilliseconds else { return }
        begin(everyMilliseconds: interval, orLog: "the watchdog will end the service, which cannot reach it") { [self] in
            notifyWatchdog()
        }
    }

    private func begin(everyMilliseconds interval: UInt64, orLog failure: String, _ work: @escaping @Sendable () -> Void) {
        do throws(ThreadError) {
            let thread = try PeriodicTasks(everyMilliseconds: interval, work)
            threads.update { $0.append(thread) }
        } catch {
            logger.log(.error, message: failure, fields: ["reason": .string(error.description)])
        }
    }

    package func beat() { liveness.beat() }

    /// Tells that the configuration is read again; `serving` must follow.
    package func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicNanoseconds() / 1000)")
    }

    /// Tells that the service serves, also after a reload that was refused.
    package func serving() {
        notify(service.statusLine, with: "READY=1\n")
    }

    /// Reports that the service stops. The watchdog still gets its messages: the stop has a deadline of its own.
    package func stopping() {
        liveness.stop()
        notify(Self.stoppingStatus, with: "STOPPING=1\n")
    }

    /// Ends the threads that send messages to the manager. Call it last, and at most once.
    package func end() {
        let ended = threads.update { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ended { thread.stop() }
    }

    /// Tells a status: each time with a state, otherwise when it has changed. It is read and sent under one lock, so that the last one sent
    /// is the latest, and none follows that of the stop.
    private func notify(_ status: @autoclosure () -> String, with state: String = "") {
        reportedStatus.withLock { reported in
            guard reported != Self.stoppingStatus else { return }
            let next = status()
            guard !state.isEmpty || next != reported else { return }
            reported = next
            send("\(state)STATUS=\(next)")
        }
    }

    private func notifyWatchdog() {
        let silent = liveness.silentParts()
        guard silent.isEmpty else {
            return logger.log(
                .error, message: "the watchdog gets no sign of life: a part of the service does not answer",
                fields: ["parts": .string(silent.joined(separator: ", "))])
        }
        send("WATCHDOG=1")
    }

    private func send(_ message: String) {
        do throws(SystemError) {
            try socket.send(message)
        } catch {
            Self.warn(logger, error)
        }
    }

    private static func warn(_ logger: Logger, _ error: SystemError) {
        logger.log(.warning, message: "the service manager gets no status of the service", fields: ["reason": .string(error.description)])
    }
}
