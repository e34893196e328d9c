/// The rotation of an app's secret in three steps, each of which all processes take over before the next one: a new key is added, it is
/// made the active one, and the old one is removed. A value that decides; nothing is changed here.
package struct KeyRotation: Sendable {
    package struct Key: Sendable, Equatable {
        package let id: UInt32
        package let state: Application.Key.State
        /// Whether its `not_after` has passed.
        package let isOver: Bool
        /// Whether every security key that it makes is revoked.
        package let isRevoked: Bool

        package init(id: UInt32, state: Application.Key.State, isOver: Bool, isRevoked: Bool = false) {
            self.id = id
            self.state = state
            self.isOver = isOver
            self.isRevoked = isRevoked
        }

        /// Whether none of its security keys is accepted, so that removing it denies no user.
        fileprivate var isUseless: Bool { isOver || isRevoked }

        fileprivate func with(state: Application.Key.State) -> Key {
            Key(id: id, state: state, isOver: isOver, isRevoked: isRevoked)
        }
    }

    package enum Step: Sendable, Equatable {
        /// A new key is added, which only verifies.
        case add(UInt32)
        /// This key becomes the one that mints, and all others only verify.
        case activate(UInt32)
        case retire(UInt32)

        package var keyID: UInt32 {
            switch self {
            case .add(let id), .activate(let id), .retire(let id): id
            }
        }

        package var name: String {
            switch self {
            case .add: "add"
            case .activate: "activate"
            case .retire: "retire"
            }
        }
    }

    private let keys: [Key]

    package init(_ keys: [Key]) {
        self.keys = keys.sorted { $0.id < $1.id }
    }

    /// The step that is next; nil when a new key would have no number, because the largest one is taken.
    ///
    /// The newest key, by its number, is the one to be active; a newer one is added only when no other is left. A key that has ended or is
    /// revoked is never made active.
    package var next: Step? {
        guard let newest = keys.last(where: { !$0.isUseless }) else { return added }
        let others = keys.filter { $0.id != newest.id }
        if newest.state != .active || others.contains(where: { $0.state == .active && !$0.isUseless }) { return .activate(newest.id) }
        // While a revoked key is there, its number is taken: a new key of that number would be revoked as well.
        let removable = others.first { !$0.isRevoked || $0.id < newest.id }
        return removable.map { .retire($0.id) } ?? added
    }

    /// Whether a key has ended by its `not_after` or is revoked, so that removing it denies no user.
    package func isUseless(_ keyID: UInt32) -> Bool { keys.contains { $0.id == keyID && $0.isUseless } }

    /// Whether these keys are what a step makes of earlier ones.
    package func follows(_ step: Step, _ earlier: KeyRotation) -> Bool {
        keys == earlier.after(step)
    }

    private func after(_ step: Step) -> [Key] {
        switch step {
        case .add(let id): keys + [Key(id: id, state: .verifyOnly, isOver: false)]
        case .activate(let id): keys.map { $0.with(state: $0.id == id ? .active : .verifyOnly) }
        case .retire(let id): keys.filter { $0.id != id }
        }
    }

    private var added: Step? {
        let last = keys.last?.id ?? 0
        return last == .max ? nil : .add(last + 1)
    }
}
