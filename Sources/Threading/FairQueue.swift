/// Decides which job begins next: no owner has more jobs than its share, running or waiting, and owners whose jobs wait take turns.
///
/// Owners form a tree, for example apps and within each app its people. The queue has one bound for each level of the tree, so a slow job
/// takes a place of its own app and person only. It is a value, and the caller locks.
package struct FairQueue<Element> {
    /// The jobs of one owner: its waiting ones, or those of the owners within it.
    fileprivate struct Node {
        var running = 0
        var all = 0
        /// When its turn comes; the lowest number comes first.
        var turn: UInt64 = 0
        var inner: [[UInt8]: Node] = [:]
        var waiting: [Element] = []
    }

    private let bounds: [ShareBound]
    private var root = Node()
    private var lastTurn: UInt64 = 0

    /// Makes an empty queue.
    /// - Parameter bounds: of the whole queue, then of each owner's first name, then of its second one, and so on.
    package init(_ bounds: [ShareBound]) {
        precondition(!bounds.isEmpty, "a queue has a bound")
        self.bounds = bounds
    }

    /// Adds a job after the waiting ones of the same owner.
    /// - Parameter owner: has one name less than there are bounds.
    /// - Returns: false when the owner has as many jobs as it may have, or an owner around it, or the whole queue.
    package mutating func add(_ element: Element, for owner: ShareOwner) -> Bool {
        precondition(owner.names.count == bounds.count - 1, "an owner has a name for each bound")
        guard hasRoom(for: owner) else { return false }
        lastTurn += 1
        root.add(element, owner.names[...], turn: lastTurn)
        return true
    }

    /// Whether another job of an owner may be added.
    /// - Parameter owner: one with fewer names represents a member without jobs.
    package func hasRoom(for owner: ShareOwner = ShareOwner()) -> Bool {
        var node = root
        for (bound, name) in zip(bounds, owner.names) {
            guard node.all < bound.all else { return false }
            guard let inner = node.inner[name] else { return true }
            node = inner
        }
        return node.all < bounds[owner.names.count].all
    }

    /// Removes and returns the job that begins next; nil when none may. `finish` must be called when it has ended.
    package mutating func next() -> Element? {
        guard root.mayBegin(bounds[...]) else { return nil }
        lastTurn += 1
        return root.begin(bounds[...], turn: lastTurn)
    }

    /// Returns the place of a job that has ended.
    package mutating func finish(_ owner: ShareOwner) {
        root.finish(owner.names[...])
    }

    /// Removes and returns the waiting jobs that match.
    /// - Parameter owner: the owner of the jobs; one with fewer names includes all its members.
    package mutating func removeWaiting(of owner: ShareOwner = ShareOwner(), where matches: (Element) -> Bool) -> [Element] {
        root.removeWaiting(owner.names[...], where: matches)
    }
}

extension FairQueue: Sendable where Element: Sendable {}
extension FairQueue.Node: Sendable where Element: Sendable {}

extension FairQueue where Element == Void {
    /// Takes a place at once, in a queue without waiting jobs; `finish` returns it.
    /// - Returns: false when there is none.
    package mutating func begin(_ owner: ShareOwner) -> Bool {
        // Nobody would take a job that waits.
        precondition(bounds.allSatisfy { $0.all == $0.running }, "nobody may wait")
        return add((), for: owner) && next() != nil
    }
}

extension FairQueue.Node {
    mutating func add(_ element: Element, _ names: ArraySlice<[UInt8]>, turn: UInt64) {
        // Without waiting jobs it has no turn yet, and comes after all who have one.
        if running == all { self.turn = turn }
        all += 1
        guard let name = names.first else { return waiting.append(element) }
        inner[name, default: Self()].add(element, names.dropFirst(), turn: turn)
    }

    func mayBegin(_ bounds: ArraySlice<ShareBound>) -> Bool {
        guard let bound = bounds.first, running < bound.running, running < all else { return false }
        return bounds.count == 1 || inner.values.contains { $0.mayBegin(bounds.dropFirst()) }
    }

    /// Begins the job whose turn it is; nil when none may begin.
    mutating func begin(_ bounds: ArraySlice<ShareBound>, turn: UInt64) -> Element? {
        let inside = bounds.dropFirst()
        let element: Element?
        if inside.isEmpty {
            element = waiting.isEmpty ? nil : waiting.removeFirst()
        } else {
            // Only the name is kept: while a copy of its jobs exists, each change would copy them all.
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
