internal import Core
internal import Observability

/// Tells operators in the log how notifiers do: a change at once, and what ends without arriving once a minute, never one line a delivery.
///
/// It is a value of the dispatcher's thread.
struct NotifierLog {
    /// What ends without arriving, or waits for its device alone.
    enum Ending: CaseIterable {
        case dead, deviceGone, noTarget, putOff
    }

    /// What was told of one notifier, and what is still to be told.
    fileprivate struct Standing {
        /// Whether a failure was told that has not been followed by a success.
        var hasToldFailure = false
        var hasToldOpening = false
        /// How many tries failed since the last success.
        var failures = 0
        /// When such lines may be written again, in Unix milliseconds.
        var mayTellFailureAt: UInt64 = 0
        var mayTellOpeningAt: UInt64 = 0
        /// Whether it was told that the provider lacks credentials for a type of device.
        var hasToldDeviceType = false
        var endings: [Ending: [String: Int]] = [:]
        /// What to do when many deliveries wait because of their devices, if that may help.
        var remedy: String?
        /// When a line about endings may be written again, in Unix milliseconds.
        var mayTellEndingsAt: UInt64 = 0

        /// A later failure is told again; the pace of lines stays.
        mutating func forgetFailures() {
            (hasToldFailure, hasToldOpening, failures) = (false, false, 0)
        }
    }

    private static let intervalMilliseconds: UInt64 = 60_000

    private let logger: Logger
    private var standings: [String: Standing] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Begins anew with a notifier that was replaced or has left; what ended is told before.
    mutating func reset(_ notifier: String, now: UInt64) {
        tellEndings(of: notifier, now: now)
        standings[notifier] = nil
    }

    /// Takes in the end of a try.
    /// - Parameter lane: as it is after that.
    mutating func take(_ result: FinishedTry, _ outcome: DeliveryOutcome, of lane: DeliveryLane, now: UInt64) {
        switch result.next {
        case .delivered: break
        case .dead where result.isDeviceGone: add(1, .deviceGone, reason: result.reason, of: lane.name)
        case .dead where outcome.settingsFault == .ofDeviceType: tellDeviceType(lane, reason: result.reason)
        case .dead: add(1, .dead, reason: result.reason, of: lane.name)
        case .givenUp(let ending): add(1, .dead, reason: ending.rawValue, of: lane.name)
        case .retry where outcome.isAboutDevice && outcome.wasAsked:
            add(1, .putOff, reason: result.reason, of: lane.name)
            if outcome.settingsFault != nil { standings[lane.name]?.remedy = lane.served.remedy(reason: result.reason) }
        case .retry: break
        }
        if outcome.wasAsked { tellChange(outcome, lane, now: now) }
    }

    /// Adds what ended, or was put off, for a reason.
    mutating func add(_ count: Int, _ ending: Ending, reason: String, of notifier: String) {
        guard count > 0 else { return }
        standings[notifier, default: Standing()].endings[ending, default: [:]][reason, default: 0] += count
    }

    /// Writes what may be written by now.
    /// - Parameter isLast: writes all that there is.
    mutating func tell(now: UInt64, isLast: Bool = false) {
        for (notifier, standing) in standings where !standing.endings.isEmpty {
            guard isLast || Self.mayTell(standing.mayTellEndingsAt, now) else { continue }
            tellEndings(of: notifier, now: now)
        }
    }

    /// Later than it can be was set before the clock was set back.
    private static func mayTell(_ time: UInt64, _ now: UInt64) -> Bool { now >= time || time - now > intervalMilliseconds }

    private mutating func tellEndings(of notifier: String, now: UInt64) {
        guard let standing = standings[notifier], !standing.endings.isEmpty else { return }
        standings[notifier]?.endings = [:]
        standings[notifier]?.remedy = nil
        standings[notifier]?.mayTellEndingsAt = now + Self.intervalMilliseconds
        for ending in Ending.allCases {
            guard let reasons = standing.endings[ending] else { continue }
            var fields: LogFields = [
                "notifier": .string(notifier), "count": .integer(reasons.values.reduce(0, +)),
                "reasons": .string(reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")),
            ]
            if ending == .putOff, let remedy = standing.remedy { fields.append("remedy", .string(remedy)) }
            logger.log(ending.level, ending.message, fields)
        }
    }
}

extension NotifierLog {
    /// Tells that a notifier has begun to fail, is left alone, or works again.
    private mutating func tellChange(_ outcome: DeliveryOutcome, _ lane: DeliveryLane, now: UInt64) {
        let state = NotifierState(lane.breaker)
        var standing = standings[lane.name, default: Standing()]
        defer { standings[lane.name] = standing }
        // Whoever pauses and resumes a notifier tells of it.
        guard state != .paused else { return standing.forgetFailures() }
        guard case .retry = outcome.verdict, !outcome.isAboutDevice else {
            if state == .working { tellRecovery(&standing, lane.name) }
            return
        }
        standing.failures += 1
        if state == .open, !standing.hasToldOpening, Self.mayTell(standing.mayTellOpeningAt, now) {
            (standing.hasToldFailure, standing.hasToldOpening) = (true, true)
            standing.mayTellOpeningAt = now + Self.intervalMilliseconds
            tellFailure(
                .error, "a notifier keeps failing; its deliveries wait, and one is tried now and then", outcome, standing, lane.name)
        } else if !standing.hasToldFailure, Self.mayTell(standing.mayTellFailureAt, now) {
            standing.hasToldFailure = true
            standing.mayTellFailureAt = now + Self.intervalMilliseconds
            tellFailure(.warning, "a notifier fails", outcome, standing, lane.name)
        }
    }

    private func tellFailure(_ level: LogLevel, _ message: String, _ outcome: DeliveryOutcome, _ standing: Standing, _ notifier: String) {
        logger.log(
            level, message, ["notifier": .string(notifier), "reason": .string(outcome.reason), "failures": .integer(standing.failures)])
    }

    private func tellRecovery(_ standing: inout Standing, _ notifier: String) {
        if standing.hasToldFailure {
            logger.log(.info, "a notifier works again", ["notifier": .string(notifier), "failures": .integer(standing.failures)])
        }
        standing.forgetFailures()
    }

    /// Told once until the notifier has changed: each of these deliveries fails alone, and nobody but the provider's console can mend it.
    private mutating func tellDeviceType(_ lane: DeliveryLane, reason: String) {
        guard standings[lane.name]?.hasToldDeviceType != true else { return }
        standings[lane.name, default: Standing()].hasToldDeviceType = true
        logger.log(
            .error, "a notifier cannot reach one type of device; deliveries to the others go on",
            [
                "notifier": .string(lane.name), "reason": .string(reason), "remedy": .string(lane.served.remedy(reason: reason)),
            ])
    }
}

extension NotifierLog.Ending {
    fileprivate var level: LogLevel {
        switch self {
        case .dead, .putOff: .warning
        case .deviceGone, .noTarget: .info
        }
    }

    fileprivate var message: String {
        switch self {
        case .dead: "deliveries ended without arriving"
        case .deviceGone: "deliveries ended because the provider does not know their devices any more"
        case .noTarget: "deliveries ended because no registered device was there for them"
        case .putOff: "deliveries wait because of their devices"
        }
    }
}
