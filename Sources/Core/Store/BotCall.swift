package import Time

/// A call of a function of a bot, as the store keeps it: who asked for what, and what came of it. It holds neither a ticket nor an answer,
/// and the arguments only where the configuration says so.
package struct BotCall: Sendable, Equatable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// It is under way. What it comes to is stored when the backend has answered.
        case started
        /// The company's backend has done it: a status of 2xx.
        case succeeded
        /// The backend has refused it: a status of 4xx other than 401.
        case refused
        /// The call did not reach the backend, as its reason says, or the backend gave no usable answer, and whether it has done something
        /// is not known.
        case failed
        /// The backend did not answer in time; whether it has done something is not known.
        case timedOut = "timed_out"
        /// The arguments do not fit what the function takes.
        case invalid
        /// The person has called too often.
        case limited
        /// The ticket is valid, but no longer allows this call.
        case denied
        case confirmationRequired = "confirmation_required"
        /// The process ended while it was under way; whether the backend has done something is not known.
        case unknown

        /// Whether it is stored as long as dead deliveries, because operators may search for it; others are stored as long as delivered
        /// ones.
        package var isFailure: Bool { self == .failed || self == .timedOut || self == .unknown }

        /// Whether its ending may still follow: it is under way, or was believed to be lost.
        package var isOpen: Bool { self == .started || self == .unknown }
    }

    package struct Ending: Sendable, Equatable {
        /// Not `started`.
        package let outcome: Outcome
        /// The status of the backend's answer; nil without one.
        package let statusCode: Int?
        /// A stable identifier; nil if the outcome needs no reason.
        package let reason: String?
        /// Whether nothing was done, so that the same call may begin again: this one gives up its key.
        package let releasesKey: Bool
        package private(set) var at: UnixMilliseconds

        package init(
            _ outcome: Outcome, statusCode: Int? = nil, reason: String? = nil, releasesKey: Bool = false, at: UnixMilliseconds
        ) {
            (self.outcome, self.statusCode, self.reason) = (outcome, statusCode, reason)
            (self.releasesKey, self.at) = (releasesKey, at)
        }
    }

    /// Milliseconds after its beginning when a call without an ending becomes `unknown`: longer than the longest timeout of a backend (100
    /// seconds), and far more than the difference of replicas' clocks.
    package static let lostAfterMilliseconds: UInt64 = 300_000
    /// The minimum milliseconds for which a call is stored, whatever the retention: longer than the life of any ticket (one hour), so that
    /// its key is known to every repetition.
    package static let minimumKeptMilliseconds: UInt64 = 7_200_000
    /// The reason of a call whose process ended before it.
    package static let interrupted = "interrupted"
    /// The length of `key` in bytes.
    package static let keyCount = 32

    /// The id that the backend gets.
    package let id: UUIDv7
    /// The deduplication key, 32 bytes: a call with the key of an earlier one is the same call. Nil for a function that changes nothing,
    /// which may be called again and again, and for a call that has ended with nothing done.
    package let key: [UInt8]?
    package let appID: String
    package let userID: String
    package let bot: String
    package let function: String
    /// The SHA-256 of the arguments' canonical JSON, in hexadecimal; empty where they could not be read.
    package let argumentsSHA256: String
    /// The arguments' canonical JSON; nil unless the bot's configuration has them recorded.
    package let arguments: String?
    package let outcome: Outcome
    /// The status of the backend's answer; nil without one.
    package let statusCode: Int?
    /// A stable identifier; nil if the outcome needs no reason.
    package let reason: String?
    package private(set) var at: UnixMilliseconds
    /// When it ended; nil while it is under way.
    package private(set) var endedAt: UnixMilliseconds?

    /// Makes a call.
    /// - Parameter ending: nil for one that is under way.
    package init(
        id: UUIDv7, key: [UInt8]? = nil, appID: String, userID: String, bot: String, function: String, argumentsSHA256: String,
        arguments: String? = nil, at: UnixMilliseconds, ending: Ending? = nil
    ) {
        if let key { precondition(key.count == Self.keyCount, "a key has 32 bytes") }
        (self.id, self.key, self.appID, self.userID, self.bot, self.function) = (id, key, appID, userID, bot, function)
        (self.argumentsSHA256, self.arguments, self.at) = (argumentsSHA256, arguments, at)
        (outcome, statusCode, reason, endedAt) = (ending?.outcome ?? .started, ending?.statusCode, ending?.reason, ending?.at)
    }

    /// The same call with what came of it. The first ending counts, except that any ending replaces `unknown`.
    package func ended(_ ending: Ending) -> BotCall {
        guard outcome.isOpen else { return self }
        return BotCall(
            id: id, key: ending.releasesKey ? nil : key, appID: appID, userID: userID, bot: bot, function: function,
            argumentsSHA256: argumentsSHA256, arguments: arguments, at: at, ending: ending)
    }

    /// The calls of an outcome that began before the time that this returns are deleted.
    /// - Parameters: as of `Store.purge`.
    package static func kept(
        _ outcome: Outcome, now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds
    ) -> UnixMilliseconds {
        min(outcome.isFailure ? deadBefore : deliveredBefore, now.saturating(subtracting: minimumKeptMilliseconds))
    }
}

package enum BotCallBeginning: Sendable, Equatable {
    case new
    /// Nothing was stored: there is a call with its key already, which is this one.
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
