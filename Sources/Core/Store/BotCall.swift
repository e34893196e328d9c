package import Time

/// A stored call of a bot's function: the caller, the function and the outcome. It does not contain the access token or the backend's
/// response, and contains the arguments only if the configuration requires it.
package struct BotCall: Sendable, Equatable {
    /// The raw value appears in metrics, in responses and in the store.
    package enum Outcome: String, Sendable, CaseIterable {
        /// In progress; the outcome is stored when the backend has responded.
        case started
        /// The backend responded with a status of 2xx.
        case succeeded
        /// The backend responded with a status of 4xx other than 401.
        case refused
        /// The call did not reach the backend, or the response was not usable; the reason states which. The backend may have executed the
        /// call.
        case failed
        /// The backend did not respond in time; it may have executed the call.
        case timedOut = "timed_out"
        /// The arguments do not match the function's parameters.
        case invalid
        /// The user's calls exceed a limit.
        case limited
        /// The access token is valid but no longer allows the call.
        case denied
        /// The function changes something, and the call was not confirmed.
        case confirmationRequired = "confirmation_required"
        /// The process ended during the call; the backend may have executed it.
        case unknown

        /// Whether the call is stored as long as dead deliveries, because operators may search for it. Other calls are stored as long as
        /// delivered ones.
        package var isFailure: Bool { self == .failed || self == .timedOut || self == .unknown }

        /// Whether an outcome may still arrive: the call is in progress, or is `unknown`.
        package var isOpen: Bool { self == .started || self == .unknown }
    }

    package struct Ending: Sendable, Equatable {
        /// Never `started`.
        package let outcome: Outcome
        package let statusCode: Int?
        /// A stable identifier of the cause; nil when the outcome needs no explanation.
        package let reason: String?
        /// Whether the backend did not execute the call. Then the key is released, so that the same call may start again.
        package let releasesKey: Bool
        package private(set) var at: UnixMilliseconds

        package init(
            _ outcome: Outcome, statusCode: Int? = nil, reason: String? = nil, releasesKey: Bool = false, at: UnixMilliseconds
        ) {
            (self.outcome, self.statusCode, self.reason) = (outcome, statusCode, reason)
            (self.releasesKey, self.at) = (releasesKey, at)
        }
    }

    /// Milliseconds after which a call without an outcome becomes `unknown`: more than the longest timeout of a backend, 100 seconds, by
    /// much more than the clocks of replicas differ.
    package static let lostAfterMilliseconds: UInt64 = 300_000
    /// The minimum milliseconds for which a call is stored, independent of the retention: longer than the lifetime of any ticket (one
    /// hour), so that a repetition always finds the key.
    package static let minimumKeptMilliseconds: UInt64 = 7_200_000
    /// The reason of a call that was in progress when its process ended.
    package static let interrupted = "interrupted"
    package static let keyCount = 32

    /// The call's id, which the backend receives.
    package let id: UUIDv7
    /// The deduplication key, 32 bytes: calls with the same key are the same call. Nil for a function without side effects, which can be
    /// repeated, and for a call that has ended without effect.
    package let key: [UInt8]?
    package let appID: String
    package let userID: String
    package let bot: String
    package let function: String
    /// Hexadecimal SHA-256 of the arguments' canonical JSON; empty if they could not be parsed.
    package let argumentsSHA256: String
    /// The arguments' canonical JSON; nil unless the bot's configuration records them.
    package let arguments: String?
    package let outcome: Outcome
    package let statusCode: Int?
    package let reason: String?
    package private(set) var at: UnixMilliseconds
    /// Nil while the call is in progress.
    package private(set) var endedAt: UnixMilliseconds?

    /// - Parameter ending: nil for a call in progress.
    package init(
        id: UUIDv7, key: [UInt8]? = nil, appID: String, userID: String, bot: String, function: String, argumentsSHA256: String,
        arguments: String? = nil, at: UnixMilliseconds, ending: Ending? = nil
    ) {
        if let key { precondition(key.count == Self.keyCount, "a key must have 32 bytes") }
        (self.id, self.key, self.appID, self.userID, self.bot, self.function) = (id, key, appID, userID, bot, function)
        (self.argumentsSHA256, self.arguments, self.at) = (argumentsSHA256, arguments, at)
        (outcome, statusCode, reason, endedAt) = (ending?.outcome ?? .started, ending?.statusCode, ending?.reason, ending?.at)
    }

    /// Returns the call with its ending. The first ending is final, except that any ending replaces `unknown`.
    package func ended(_ ending: Ending) -> BotCall {
        guard outcome.isOpen else { return self }
        return BotCall(
            id: id, key: ending.releasesKey ? nil : key, appID: appID, userID: userID, bot: bot, function: function,
            argumentsSHA256: argumentsSHA256, arguments: arguments, at: at, ending: ending)
    }

    /// Returns the start time before which calls with this outcome are deleted.
    /// - Parameters: those of `Store.purge`.
    package static func kept(
        _ outcome: Outcome, now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds
    ) -> UnixMilliseconds {
        min(outcome.isFailure ? deadBefore : deliveredBefore, now.saturating(subtracting: minimumKeptMilliseconds))
    }
}

package enum BotCallBeginning: Sendable, Equatable {
    /// The call is durable.
    case new
    /// A call with the same key is already stored; it is returned.
    case repeated(BotCall)
}

extension BotCall: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        at.convertTimes(convert)
        endedAt.convertTimes(convert)
    }
}

extension BotCall.Ending: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        at.convertTimes(convert)
    }
}

extension BotCallBeginning: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        switch self {
        case .repeated(let call): self = .repeated(call.converted(convert))
        case .new: break
        }
    }
}
