/// The rotation of an app's secret in three steps: a new key is added, the new key is activated, and the old key is removed. All processes
/// must apply a step before the next one. This type only computes the next step.
package struct KeyRotation: Sendable {
    package struct Key: Sendable, Equatable {
        package let id: UInt32
        package let state: Application.Key.State
        /// Whether the key's `not_after` has passed.
        package let isOver: Bool
        /// Whether every security key made with this key is revoked.
        package let isRevoked: Bool

        package init(id: UInt32, state: Application.Key.State, isOver: Bool, isRevoked: Bool = false) {
            self.id = id
            self.state = state
            self.isOver = isOver
            self.isRevoked = isRevoked
        }

        /// Whether no security key made with this key is allowed, so that its removal denies no user.
        fileprivate var isRemovable: Bool { isOver || isRevoked }

        fileprivate func with(state: Application.Key.State) -> Key {
            Key(id: id, state: state, isOver: isOver, isRevoked: isRevoked)
        }
    }

    package enum Step: Sendable, Equatable {
        /// Adds a key that only verifies.
        case add(UInt32)
        /// Makes this key the minting key. All other keys only verify.
        case activate(UInt32)
        case retire(UInt32)

        package var keyID: UInt32 {
            switch self {
            case .add(let id), .activate(let id), .retire(let id): id
            }
        }

        /// The name in responses.
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

    /// The next step; nil when no id is left for a new key, because the largest one is in use.
    ///
    /// The newest key by id becomes the active one. A key is added only when the app has just one. An expired or revoked key is never
    /// activated.
    package var next: Step? {
        guard let newest = keys.last(where: { !$0.isRemovable }) else { return added }
        let others = keys.filter { $0.id != newest.id }
        if newest.state != .active || others.contains(where: { $0.state == .active && !$0.isRemovable }) { return .activate(newest.id) }
        // A revoked newest key is kept, because its id is in use: a new key with the same id would be revoked as well.
        let removable = others.first { !$0.isRevoked || $0.id < newest.id }
        return removable.map { .retire($0.id) } ?? added
    }

    /// Whether a key has expired (`not_after`) or is revoked, so that its removal denies no user.
    package func isRemovable(_ keyID: UInt32) -> Bool { keys.contains { $0.id == keyID && $0.isRemovable } }

    /// Whether these keys are the result of the step on `earlier`.
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
