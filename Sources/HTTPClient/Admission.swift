/// Decides which request starts next: no origin exceeds its share, and origins take turns for the remaining capacity.
///
/// libcurl could queue requests itself, but its connect timeout would run while a request is queued.
struct Admission<Element: AnyObject> {
    private struct Lane {
        var running = 0
        var waiting: [Element] = []
        var isListed = false
    }

    private let limitPerOrigin: Int
    private let limit: Int
    private var running = 0
    private var lanes: [Origin: Lane] = [:]
    // The origins with a waiting request and free capacity, in turn.
    private var turns: [Origin] = []

    init(limitPerOrigin: Int, limit: Int) {
        self.limitPerOrigin = limitPerOrigin
        self.limit = limit
    }

    /// Adds a request after the waiting ones of the same origin.
    mutating func enqueue(_ element: Element, _ origin: Origin) {
        lanes[origin, default: Lane()].waiting.append(element)
        list(origin)
    }

    /// Removes and returns the next request that may start; nil when none may.
    mutating func next() -> Element? {
        while running < limit, !turns.isEmpty {
            let origin = turns.removeFirst()
            lanes[origin]?.isListed = false
            guard lanes[origin]?.waiting.isEmpty == false, let element = lanes[origin]?.waiting.removeFirst() else { continue }
            lanes[origin]?.running += 1
            running += 1
            list(origin)
            return element
        }
        return nil
    }

    /// Returns the capacity of a request that was started.
    mutating func finish(_ origin: Origin) {
        running -= 1
        lanes[origin]?.running -= 1
        list(origin)
        forgetIfUnused(origin)
    }

    /// Removes and returns the waiting requests that match.
    mutating func removeWaiting(where matches: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for origin in Array(lanes.keys) {
            guard let waiting = lanes[origin]?.waiting, waiting.contains(where: matches) else { continue }
            removed += waiting.filter(matches)
            lanes[origin]?.waiting.removeAll(where: matches)
            forgetIfUnused(origin)
        }
        return removed
    }

    /// Removes a waiting request.
    /// - Returns: whether it waited.
    mutating func remove(_ element: Element, _ origin: Origin) -> Bool {
        guard let index = lanes[origin]?.waiting.firstIndex(where: { $0 === element }) else { return false }
        lanes[origin]?.waiting.remove(at: index)
        forgetIfUnused(origin)
        return true
    }

    private mutating func list(_ origin: Origin) {
        guard let lane = lanes[origin], !lane.isListed, !lane.waiting.isEmpty, lane.running < limitPerOrigin else { return }
        lanes[origin]?.isListed = true
        turns.append(origin)
    }

    private mutating func forgetIfUnused(_ origin: Origin) {
        guard let lane = lanes[origin], lane.running == 0, lane.waiting.isEmpty else { return }
        lanes[origin] = nil
        if lane.isListed { turns.removeAll { $0 == origin } }
    }
}
