internal import Core
internal import Observability
internal import Time

/// Logs the health of notifiers: changes of state at once, and deliveries that ended without arriving once a minute. It never logs a line
/// for each delivery above level debug. Only the dispatcher's thread may use it.
struct NotifierLog {
    /// The kinds of deliveries that are summed in one line.
    enum Ending: CaseIterable {
        case dead, deviceGone, noTarget, superseded
        /// Deliveries that are retried for a reason that concerns only their devices.
        case putOff
    }

    fileprivate struct LogState {
        /// Whether a failure was logged since the last success.
        var hasLoggedFailure = false
        /// Whether the opening of the breaker was logged since the last success.
        var hasLoggedOpening = false
        var failures = 0
        /// Earliest times of the next lines.
        var failureLineAt: UnixMilliseconds = 0
        var openingLineAt: UnixMilliseconds = 0
        /// Whether a line has reported missing credentials for a type of device.
        var hasLoggedDeviceType = false
        var endings: [Ending: [String: Int]] = [:]
        /// The remedy for deliveries that wait because of their devices; nil if none is known.
        var remedy: String?
        var endingsLineAt: UnixMilliseconds = 0

        /// Makes the next failure be logged again.
        mutating func forgetFailures() {
            (hasLoggedFailure, hasLoggedOpening, failures) = (false, false, 0)
        }
    }

    private static let intervalMilliseconds: UInt64 = 60_000

    private let logger: Logger
    private var statuses: [String: LogState] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs the pending lines of a notifier that was replaced or removed, and deletes its state.
    mutating func reset(_ notifier: String, now: UnixMilliseconds) {
        logEndings(of: notifier, now: now)
        statuses[notifier] = nil
    }

    /// Records the outcome of an attempt.
    /// - Parameter lane: the state after the attempt.
    mutating func take(
        _ result: FinishedAttempt, outcome: DeliveryOutcome, of lane: DeliveryLane, attempt: DeliveryLane.Running, now: UnixMilliseconds
    ) {
        log(attempt, result, of: lane)
        switch result.next {
        case .delivered: break
        case .dead where result.isDeviceGone: add(1, .deviceGone, reason: result.reason, of: lane.name)
        case .dead where outcome.settingsFault == .ofDeviceType: logDeviceType(lane, reason: result.reason)
        case .dead: add(1, .dead, reason: result.reason, of: lane.name)
        case .givenUp(let ending): add(1, .dead, reason: ending.rawValue, of: lane.name)
        case .retry where outcome.isAboutDevice && outcome.calledReceiver:
            add(1, .putOff, reason: result.reason, of: lane.name)
            if outcome.settingsFault != nil { statuses[lane.name]?.remedy = lane.served.remedy(reason: result.reason) }
        case .retry: break
        }
        if outcome.calledReceiver { logChange(outcome, lane: lane, attempt: attempt, now: now) }
    }

    private func log(_ attempt: DeliveryLane.Running, _ result: FinishedAttempt, of lane: DeliveryLane) {
        guard logger.level <= .debug else { return }
        var fields: LogFields = [
            "notifier": .string(lane.name), "delivery": .string(result.id.description), "attempt": .integer(result.attempt),
            "reason": .string(result.reason),
        ]
        attempt.append(to: &fields)
        logger.log(.debug, message: "delivery attempt", fields: fields)
    }

    mutating func add(_ count: Int, _ ending: Ending, reason: String, of notifier: String) {
        guard count > 0 else { return }
        statuses[notifier, default: LogState()].endings[ending, default: [:]][reason, default: 0] += count
    }

    /// - Parameter isLast: whether to write also the lines that are not due yet.
    mutating func writeDue(now: UnixMilliseconds, isLast: Bool = false) {
        for (notifier, status) in statuses where !status.endings.isEmpty {
            guard isLast || Self.isDue(status.endingsLineAt, now) else { continue }
            logEndings(of: notifier, now: now)
        }
    }

    // A time further away than an interval was computed before the clock was set back.
    private static func isDue(_ time: UnixMilliseconds, _ now: UnixMilliseconds) -> Bool {
        now >= time || now.remaining(until: time) > intervalMilliseconds
    }

    private mutating func logEndings(of notifier: String, now: UnixMilliseconds) {
        guard let status = statuses[notifier], !status.endings.isEmpty else { return }
        statuses[notifier]?.endings = [:]
        statuses[notifier]?.remedy = nil
        statuses[notifier]?.endingsLineAt = now + Self.intervalMilliseconds
        for ending in Ending.allCases {
            guard let reasons = status.endings[ending] else { continue }
            var fields: LogFields = [
                "notifier": .string(notifier), "count": .integer(reasons.values.reduce(0, +)),
                "reasons": .string(reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")),
            ]
            if ending == .putOff, let remedy = status.remedy { fields.append("remedy", .string(remedy)) }
            logger.log(ending.level, message: ending.message, fields: fields)
        }
    }
}

extension NotifierLog {
    /// Logs that a notifier begins to fail, that its breaker opens, or that it works again.
    private mutating func logChange(
        _ outcome: DeliveryOutcome, lane: DeliveryLane, attempt: DeliveryLane.Running, now: UnixMilliseconds
    ) {
        let state = BreakerStatus(lane.breaker)
        var status = statuses[lane.name, default: LogState()]
        defer { statuses[lane.name] = status }
        // `DispatcherWorker` logs a pause and its end.
        guard state != .paused else { return status.forgetFailures() }
        guard case .retry = outcome.verdict, !outcome.isAboutDevice else {
            if state == .working { logRecovery(&status, lane.name) }
            return
        }
        status.failures += 1
        if state == .open, !status.hasLoggedOpening, Self.isDue(status.openingLineAt, now) {
            (status.hasLoggedFailure, status.hasLoggedOpening) = (true, true)
            status.openingLineAt = now + Self.intervalMilliseconds
            logFailure(
                .error, message: "a notifier keeps failing; its deliveries wait, and one is tried at intervals", outcome: outcome,
                status: status, lane: lane, attempt: attempt)
        } else if !status.hasLoggedFailure, Self.isDue(status.failureLineAt, now) {
            status.hasLoggedFailure = true
            status.failureLineAt = now + Self.intervalMilliseconds
            logFailure(.warning, message: "a notifier fails", outcome: outcome, status: status, lane: lane, attempt: attempt)
        }
    }

    private func logFailure(
        _ level: LogLevel, message: String, outcome: DeliveryOutcome, status: LogState, lane: DeliveryLane,
        attempt: DeliveryLane.Running
    ) {
        var fields: LogFields = [
            "notifier": .string(lane.name), "reason": .string(outcome.reason), "failures": .integer(status.failures),
        ]
        if let remedy = lane.served.remedyWhileFailing?(outcome.reason) { fields.append("remedy", .string(remedy)) }
        attempt.append(to: &fields)
        logger.log(level, message: message, fields: fields)
    }

    private func logRecovery(_ status: inout LogState, _ notifier: String) {
        if status.hasLoggedFailure {
            logger.log(
                .info, message: "a notifier works again", fields: ["notifier": .string(notifier), "failures": .integer(status.failures)])
        }
        status.forgetFailures()
    }

    /// Logs, once until the notifier is replaced, that it cannot reach one type of device; only a change in the provider's console can
    /// correct this.
    private mutating func logDeviceType(_ lane: DeliveryLane, reason: String) {
        guard statuses[lane.name]?.hasLoggedDeviceType != true else { return }
        statuses[lane.name, default: LogState()].hasLoggedDeviceType = true
        logger.log(
            .error, message: "a notifier cannot reach one type of device; deliveries to the others continue",
            fields: [
                "notifier": .string(lane.name), "reason": .string(reason), "remedy": .string(lane.served.remedy(reason: reason)),
            ])
    }
}

extension NotifierLog.Ending {
    init(_ ending: DeliveryEnding) {
        self =
            switch ending.state {
            case .noTarget: .noTarget
            case .delivered: .superseded
            case .dead, .pending: .dead
            }
    }

    fileprivate var level: LogLevel {
        switch self {
        case .dead, .putOff: .warning
        case .deviceGone, .noTarget, .superseded: .info
        }
    }

    fileprivate var message: String {
        switch self {
        case .dead: "deliveries ended without arriving"
        case .deviceGone: "deliveries ended because the provider does not know their devices any more"
        case .noTarget: "deliveries ended because no device was registered for them"
        case .superseded: "deliveries ended because their comments were read before"
        case .putOff: "deliveries wait because of their devices"
        }
    }
}
