internal import Core
internal import Time

/// A search for calls of bots, those that began last first, in steps: no step looks at more than some thousand, whether they match or not.
enum BotCallWalk {
    typealias Found = [(place: BotCallCursor, call: BotCall)]

    /// The result of a step, and the start of the next one; nil when no rows are left, or the result is complete.
    typealias Step = (found: Found, next: BotCallCursor?)

    /// Searches from before a place on.
    /// - Parameters:
    ///   - settings: how long a step is, and for how long steps are begun.
    ///   - step: looks at so many calls before a place, and lists at most `limit` of those that match.
    static func page(
        before: BotCallCursor?, limit: Int, _ settings: StoreSettings,
        _ step: (_ before: BotCallCursor, _ rows: Int, _ limit: Int) throws(StoreError) -> Step
    ) throws(StoreError) -> BotCallPage {
        let end = SystemClock.monotonicMilliseconds() + settings.searchMilliseconds
        var found: Found = []
        var place = before ?? .end
        while true {
            // One more than the limit shows whether there are more.
            let result = try step(place, Int(settings.eventsPerStep), limit + 1 - found.count)
            found += result.found
            if found.count > limit { return BotCallPage(found.prefix(limit).map(\.call), next: found[..<limit].last?.place) }
            guard let next = result.next else { return BotCallPage(found.map(\.call), next: nil) }
            guard SystemClock.monotonicMilliseconds() < end else { return BotCallPage(found.map(\.call), next: next) }
            place = next
        }
    }
}
