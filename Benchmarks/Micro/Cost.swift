struct Cost {
    /// Calls of malloc and its kin.
    struct Allocations {
        /// By Swift code, ours or the runtime's.
        let own: Double
        /// By the C libraries that it calls.
        let libraries: Double
    }

    let name: String
    let nanoseconds: Double
    /// Nil when they are not counted.
    let allocations: Allocations?
}
