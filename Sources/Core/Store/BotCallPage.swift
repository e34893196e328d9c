package import Time

/// Which calls of bots are listed; what is nil does not matter.
package struct BotCallFilter: Sendable, Equatable {
    package var appID: String?
    package var userID: String?
    package var bot: String?
    package var function: String?
    package var outcome: BotCall.Outcome?
    /// The time at which it began, or later.
    package var since: UnixMilliseconds?

    package init() {}

    package init(_ person: RevokedPerson) { (appID, userID) = (person.appID, person.userID) }
}

/// Where a list of calls goes on: after this place in the order of their beginnings. Texts of it are opaque to whoever gets them.
package struct BotCallCursor: Sendable, Equatable, Comparable, CustomStringConvertible {
    /// After all calls, where a list begins.
    package static let end = BotCallCursor(at: .max, number: .max)

    /// When the call began, in Unix milliseconds of the store's own clock.
    package let at: Int64
    package let number: Int64

    package init(at: Int64, number: Int64) { (self.at, self.number) = (at, number) }

    /// Reads what `description` has written; nil for another text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(Substring(parts[0])), let number = Int64(Substring(parts[1])), at >= 0, number >= 0
        else { return nil }
        (self.at, self.number) = (at, number)
    }

    package var description: String { "\(at)-\(number)" }

    /// By the time first.
    package static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
}

/// A part of a list of calls.
package struct BotCallPage: Sendable, Equatable {
    /// The calls, those that began last first.
    package private(set) var calls: [BotCall]
    /// Where the next page begins; nil when there is none. A search that finds little ends its page after a while, so that a page with
    /// fewer calls than wanted, or none, may have a next one.
    package let next: BotCallCursor?

    package init(_ calls: [BotCall], next: BotCallCursor?) { (self.calls, self.next) = (calls, next) }
}

extension BotCallFilter: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertMoments(convert)
    }
}

extension BotCallPage: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        calls.convertMoments(convert)
    }
}
