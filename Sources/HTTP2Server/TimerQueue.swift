internal import Time

/// A queue of elements by due time, earliest first, implemented as a binary heap.
struct TimerQueue<Element> {
    private var heap: [(due: MonotonicMilliseconds, element: Element)] = []

    var firstDue: MonotonicMilliseconds? { heap.first?.due }

    mutating func insert(_ element: Element, due: MonotonicMilliseconds) {
        heap.append((due, element))
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].due > heap[index].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the first element if it is due.
    mutating func next(now: MonotonicMilliseconds) -> Element? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
        return first.element
    }

    private mutating func sink() {
        var index = 0
        while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: { heap[$0].due < heap[$1].due }),
            heap[child].due < heap[index].due
        {
            heap.swapAt(index, child)
            index = child
        }
    }
}
