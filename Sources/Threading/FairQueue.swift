/// Selects the next job. No owner has more running or waiting jobs than its share, and owners with waiting jobs take turns.
///
/// Owners form a tree, for example apps and within each app its users. The queue has one bound for each level, so a slow job uses only the
/// share of its own app and user. A value type: the caller locks.
package struct FairQueue<Element> {
    /// An owner: its waiting jobs, or the owners within it.
    fileprivate struct Node {
        var running = 0
        var all = 0
        /// The position among its siblings; the lowest number is next.
        var turn: UInt64 = 0
        var inner: [[UInt8]: Node] = [:]
        var waiting: [Element] = []
    }

    private let bounds: [ShareBound]
    private var root = Node()
    private var lastTurn: UInt64 = 0

    /// - Parameter bounds: for the whole queue, then for each level of names.
    package init(_ bounds: [ShareBound]) {
        precondition(!bounds.isEmpty, "a queue must have a bound")
        self.bounds = bounds
    }

    /// Adds a job after the waiting ones of the same owner.
    /// - Parameter owner: has one name less than there are bounds.
    /// - Returns: false when a bound of the owner, of one of its parents, or of the queue is reached.
    package mutating func add(_ element: Element, for owner: ShareOwner) -> Bool {
        precondition(owner.names.count == bounds.count - 1, "an owner must have a name for each bound below the queue's")
        guard hasRoom(for: owner) else { return false }
        lastTurn += 1
        root.add(element, owner.names[...], turn: lastTurn)
        return true
    }

    /// Whether another job of an owner can be added.
    /// - Parameter owner: may have fewer names; it then represents an owner below it that has no jobs yet.
    package func hasRoom(for owner: ShareOwner = ShareOwner()) -> Bool {
        var node = root
        for (bound, name) in zip(bounds, owner.names) {
            guard node.all < bound.all else { return false }
            guard let inner = node.inner[name] else { return true }
            node = inner
        }
        return node.all < bounds[owner.names.count].all
    }

    /// Removes and returns the next job; nil when none may begin. The caller must call `finish` when it has ended.
    package mutating func next() -> Element? {
        guard root.mayBegin(bounds[...]) else { return nil }
        lastTurn += 1
        return root.begin(bounds[...], turn: lastTurn)
    }

    package mutating func finish(_ owner: ShareOwner) {
        root.finish(owner.names[...])
    }

    /// Removes and returns matching waiting jobs.
    /// - Parameter owner: may have fewer names; it then represents all owners below it.
    package mutating func removeWaiting(of owner: ShareOwner = ShareOwner(), where matches: (Element) -> Bool) -> [Element] {
        root.removeWaiting(owner.names[...], where: matches)
    }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Node: Sendable where Element: Sendable {}

extension FairQueue where Element == Void {
    /// Takes a share at once, in a queue without waiting jobs; `finish` releases it.
    /// - Returns: false when there is none.
    package mutating func begin(_ owner: ShareOwner) -> Bool {
        // No thread would take a waiting job.
        precondition(bounds.allSatisfy { $0.all == $0.running }, "the queue must not allow waiting jobs")
        return add((), for: owner) && next() != nil
    }
}

extension FairQueue.Node {
    mutating func add(_ element: Element, _ names: ArraySlice<[UInt8]>, turn: UInt64) {
        // An owner without waiting jobs has no turn yet, so it comes after all owners that have one.
        if running == all { self.turn = turn }
        all += 1
        guard let name = names.first else { return waiting.append(element) }
        inner[name, default: Self()].add(element, names.dropFirst(), turn: turn)
    }

    func mayBegin(_ bounds: ArraySlice<ShareBound>) -> Bool {
        guard let bound = bounds.first, running < bound.running, running < all else { return false }
        return bounds.count == 1 || inner.values.contains { $0.mayBegin(bounds.dropFirst()) }
    }

    mutating func begin(_ bounds: ArraySlice<ShareBound>, turn: UInt64) -> Element? {
        let inside = bounds.dropFirst()
        let element: Element?
        if inside.isEmpty {
            element = waiting.isEmpty ? nil : waiting.removeFirst()
        } else {
            // Only the name is copied: while a copy of its jobs exists, each change would copy them all.
            let name = inner.lazy.filter { $0.value.mayBegin(inside) }.min { $0.value.turn < $1.value.turn }?.key
            element = name.flatMap { inner[$0]?.begin(inside, turn: turn) }
        }
        guard element != nil else { return nil }
        running += 1
        self.turn = turn
        return element
    }

    mutating func finish(_ names: ArraySlice<[UInt8]>) {
        precondition(running > 0, "a job ends once")
        running -= 1
        all -= 1
        guard let name = names.first else { return }
        inner[name]?.finish(names.dropFirst())
        forgetIfEmpty(name)
    }

    mutating func removeWaiting(_ names: ArraySlice<[UInt8]>, where matches: (Element) -> Bool) -> [Element] {
        var removed = waiting.filter(matches)
        if !removed.isEmpty { waiting.removeAll(where: matches) }
        for name in names.first.map({ [$0] }) ?? Array(inner.keys) {
            removed += inner[name]?.removeWaiting(names.dropFirst(), where: matches) ?? []
            forgetIfEmpty(name)
        }
        all -= removed.count
        return removed
    }

    private mutating func forgetIfEmpty(_ name: [UInt8]) {
        if inner[name]?.all == 0 { inner[name] = nil }
    }
}
