package import Time

/// Criteria for calls of bots; nil matches any.
package struct BotCallFilter: Sendable, Equatable {
    package var appID: String?
    package var userID: String?
    package var bot: String?
    package var function: String?
    package var outcome: BotCall.Outcome?
    /// The earliest start time.
    package var since: UnixMilliseconds?

    package init() {}

    package init(_ person: AppUser) { (appID, userID) = (person.appID, person.userID) }
}

/// A position after a call in a list ordered by start time. The text of a cursor is opaque to callers.
package struct BotCallCursor: Sendable, Equatable, Comparable, CustomStringConvertible {
    /// The start of a list.
    package static let end = BotCallCursor(at: .max, number: .max)

    /// The call's start in Unix milliseconds of the store's own clock.
    package let at: Int64
    package let number: Int64

    package init(at: Int64, number: Int64) { (self.at, self.number) = (at, number) }

    /// Parses `description`; nil for another text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(Substring(parts[0])), let number = Int64(Substring(parts[1])), at >= 0, number >= 0
        else { return nil }
        (self.at, self.number) = (at, number)
    }

    package var description: String { "\(at)-\(number)" }

    package static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
}

package struct BotCallPage: Sendable, Equatable {
    /// The calls in descending order of their start.
    package private(set) var calls: [BotCall]
    /// The next page; nil when there is none. A page ends early when a search finds little, so a page with fewer calls than requested, or
    /// none, may have a next one.
    package let next: BotCallCursor?

    package init(_ calls: [BotCall], next: BotCallCursor?) { (self.calls, self.next) = (calls, next) }
}

extension BotCallFilter: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertTimes(convert)
    }
}

extension BotCallPage: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        calls.convertTimes(convert)
    }
}
