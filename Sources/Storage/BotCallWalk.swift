internal import Core
internal import Time

/// A search for bot calls, newest first, in steps of limited size: each step examines at most a few thousand calls, whether they match or
/// not.
enum BotCallWalk {
    typealias Found = [(place: BotCallCursor, call: BotCall)]

    /// The result of a step, and the start of the next step; nil when no rows are left, or the result is complete.
    typealias Step = (found: Found, next: BotCallCursor?)

    /// Searches the calls before a position.
    /// - Parameters:
    ///   - settings: the size of a step, and the time limit of the search.
    ///   - step: examines at most `rows` calls before a position, and returns at most `limit` matches.
    static func page(
        before: BotCallCursor?, limit: Int, _ settings: StoreSettings,
        _ step: (_ before: BotCallCursor, _ rows: Int, _ limit: Int) throws(StoreError) -> Step
    ) throws(StoreError) -> BotCallPage {
        let end = SystemClock.monotonicMilliseconds() + settings.searchMilliseconds
        var found: Found = []
        var place = before ?? .end
        while true {
            // Requests one match more than the limit, to detect whether there are more.
            let result = try step(place, Int(settings.eventsPerStep), limit + 1 - found.count)
            found += result.found
            if found.count > limit { return BotCallPage(found.prefix(limit).map(\.call), next: found[..<limit].last?.place) }
            guard let next = result.next else { return BotCallPage(found.map(\.call), next: nil) }
            guard SystemClock.monotonicMilliseconds() < end else { return BotCallPage(found.map(\.call), next: next) }
            place = next
        }
    }
}
