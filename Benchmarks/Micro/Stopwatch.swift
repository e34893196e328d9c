import Time

/// Measures operations consecutively on this thread.
struct Stopwatch {
    private static let batches = 15
    private static let batchNanoseconds: UInt64 = 20_000_000
    private static let countedOperations = 1000

    /// Nil when allocations are not counted.
    let counter = AllocationCounter()

    /// Measures `operation`.
    /// - Parameter operation: returns a number that depends on all of its work, so that the optimizer cannot remove any.
    func measure(_ name: String, _ operation: () -> Int) -> Cost {
        let size = batchSize(operation)
        let times = (0..<Self.batches).map { _ in Double(time(size, operation)) / Double(size) }.sorted()
        return Cost(name: name, nanoseconds: times[Self.batches / 2], allocations: allocations(operation))
    }

    /// The number of operations in a batch, found by running them, which also warms them up.
    private func batchSize(_ operation: () -> Int) -> Int {
        var size = 64
        while true {
            let elapsed = time(size, operation)
            if elapsed >= Self.batchNanoseconds / 2 { return max(1, size * Int(Self.batchNanoseconds) / Int(elapsed)) }
            size *= 2
        }
    }

    private func time(_ count: Int, _ operation: () -> Int) -> UInt64 {
        let start = SystemClock.monotonicNanoseconds()
        keep(run(count, operation))
        return SystemClock.monotonicNanoseconds() - start
    }

    private func allocations(_ operation: () -> Int) -> Cost.Allocations? {
        guard let (own, libraries) = counter?.count({ keep(run(Self.countedOperations, operation)) }) else { return nil }
        let operations = Double(Self.countedOperations)
        return Cost.Allocations(own: Double(own) / operations, libraries: Double(libraries) / operations)
    }

    private func run(_ count: Int, _ operation: () -> Int) -> Int {
        var sum = 0
        for _ in 0..<count { sum &+= operation() }
        return sum
    }

    /// Receives the results in a way that the optimizer cannot see.
    @inline(never)
    private func keep(_ sum: Int) {
        precondition(sum != .min, "the results of the operations are small")
    }
}
