/// Decides which request starts next: no origin has more than its share, and origins take turns when all share the rest.
///
/// libcurl could queue requests itself, but the time for connecting runs there while a request merely waits.
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
    // The origins where something waits and has room, in turn.
    private var turns: [Origin] = []

    init(limitPerOrigin: Int, limit: Int) {
        self.limitPerOrigin = limitPerOrigin
        self.limit = limit
    }

    /// Adds a request behind those that wait for the same origin.
    mutating func enqueue(_ element: Element, _ origin: Origin) {
        lanes[origin, default: Lane()].waiting.append(element)
        list(origin)
    }

    /// Takes the next request that may start; nil when none may.
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

    /// Gives back the room of one that was started.
    mutating func finish(_ origin: Origin) {
        running -= 1
        lanes[origin]?.running -= 1
        list(origin)
        forgetIfUnused(origin)
    }

    /// Takes out those that wait and match.
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

    /// Takes this one out.
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
