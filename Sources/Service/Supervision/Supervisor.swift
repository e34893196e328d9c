package import Observability
internal import POSIX
internal import Threading
internal import Time

/// Notifies the service manager of the service's state (`Type=notify`, sd_notify(3)): when it serves, reloads and stops,
/// and, if a watchdog is set, that it is alive.
package final class Supervisor: Sendable {
    /// The variables in which the manager requests messages.
    private enum Variable {
        static let socket = "NOTIFY_SOCKET"
        static let watchdog = "WATCHDOG_USEC"
        static let watchedProcess = "WATCHDOG_PID"
    }

    /// The number of messages to a watchdog within its timeout, so that one late message does not end the service.
    private static let messagesPerTime: UInt64 = 4
    /// The interval at which the status is checked, in milliseconds; a changed status is reported.
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

    /// Reports that the service is ready, then periodically reports its status and notifies the watchdog. Call it once, when the
    /// listeners are open.
    package func start() {
        serving()
        begin(everyMilliseconds: Self.statusMilliseconds, orLog: "the service manager gets no status of the service") { [self] in
            notify(service.statusLine)
        }
        guard let interval = notificationIntervalMilliseconds else { return }
        begin(everyMilliseconds: interval, orLog: "the watchdog will stop the service, because the service cannot notify it") { [self] in
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

    /// Reports that the service reloads its configuration; `serving` must follow.
    package func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicNanoseconds() / 1000)")
    }

    /// Reports that the service is ready, also after a rejected reload.
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

    /// Reports a status: always with a state, otherwise only when it has changed. It is read and sent under one lock, so that the status
    /// sent last is the latest, and no status follows `stoppingStatus`.
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
                .error, message: "the watchdog is not notified: a part of the service does not respond",
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
