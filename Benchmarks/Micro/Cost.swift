struct Cost {
    /// Calls of malloc and related functions.
    struct Allocations {
        /// By Swift code of Deskgate or the runtime.
        let own: Double
        /// By the C libraries that it calls.
        let libraries: Double
    }

    let name: String
    let nanoseconds: Double
    /// Nil when they are not counted.
    let allocations: Allocations?
}
