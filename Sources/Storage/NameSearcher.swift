internal import Core
internal import Time

/// A store that searches all apps for a name. The search uses the indexes first. Then it scans devices and events in steps, because no
/// index covers these names.
protocol NameSearcher {
    var settings: StoreSettings { get }

    /// Returns matches that indexes find in all apps: users that have a device or a revocation, and comments.
    func indexedMatches(of name: String) throws(StoreError) -> [NameMatch]

    /// Returns the registered devices with an id after a position: at most `limit`, from as many rows as a step reads.
    /// - Parameter limit: at least 1.
    /// - Returns: the devices, and the device after which the search continues; nil when there are no more.
    func devices(named deviceID: String, after: Device.Key?, limit: Int) throws(StoreError) -> (found: [Device.Key], next: Device.Key?)

    /// Returns the numbers of the oldest and the newest event. Without events, the oldest number is greater than the newest.
    func eventEnds() throws(StoreError) -> (oldest: Int64, newest: Int64)

    /// Returns the users and tickets with a name in the events between two numbers (both exclusive), without duplicates.
    func eventMatches(of name: String, after: Int64, before: Int64) throws(StoreError) -> [NameMatch]
}

extension NameSearcher {
    func searchNames(_ query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        precondition(limit > 0, "the limit must be positive")
        let end = SystemClock.monotonicMilliseconds() + settings.searchMilliseconds
        var found: [NameMatch] = []
        if after == nil { found = try indexedMatches(of: query.name).filter { query.kinds.contains($0.kind) } }
        var (device, bound) = (Device.Key?.none, Int64?.none)
        switch after {
        case .devices(let last): device = last
        case .events(let before): bound = before
        case nil: break
        }
        if bound == nil, let next = try searchDevices(query, after: device, limit: limit, until: end, &found) {
            return NamePage(found, next: .devices(after: next))
        }
        let rest = try searchEvents(query, before: bound ?? .max, until: end, &found)
        return NamePage(found, next: rest.map { .events(before: $0) })
    }

    /// - Returns: the device after which the search continues; nil when the search has ended.
    private func searchDevices(
        _ query: NameQuery, after: Device.Key?, limit: Int, until end: MonotonicMilliseconds, _ found: inout [NameMatch]
    ) throws(StoreError) -> Device.Key? {
        guard query.kinds.contains(.device) else { return nil }
        var (last, room) = (after, limit)
        while true {
            let step = try devices(named: query.name, after: last, limit: room)
            found += step.found.map { NameMatch(.device, in: .device, appID: $0.appID, userID: $0.userID) }
            room -= step.found.count
            guard let next = step.next else { return nil }
            guard room > 0, SystemClock.monotonicMilliseconds() < end else { return next }
            last = next
        }
    }

    /// - Returns: the event number before which the search continues; nil when the search has ended.
    private func searchEvents(
        _ query: NameQuery, before: Int64, until end: MonotonicMilliseconds, _ found: inout [NameMatch]
    ) throws(StoreError) -> Int64? {
        guard query.kinds.contains(.user) || query.kinds.contains(.ticket) else { return nil }
        let events = try eventEnds()
        var bound = min(before, events.newest + 1)
        while bound > events.oldest {
            let last = bound - settings.eventsPerStep - 1
            for match in try eventMatches(of: query.name, after: last, before: bound)
            where query.kinds.contains(match.kind) && !found.contains(match) {
                found.append(match)
            }
            bound = last + 1
            guard bound > events.oldest else { return nil }
            guard SystemClock.monotonicMilliseconds() < end else { return bound }
        }
        return nil
    }
}
