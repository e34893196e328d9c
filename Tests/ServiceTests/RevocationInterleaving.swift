import Core
import HelpDesk
import TestSupport
import Testing

/// Changes in a store, and the concurrent actions of a replica that answers one of them.
struct RevocationInterleaving: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The revocations in force before the changes.
    var known: [Revocation] = []
    let isBlocked: Bool
    let run: @Sendable (_ store: DeliveryStore, _ keeper: RevocationPoller) throws -> Void

    init(
        _ description: String, known: [Revocation] = [], isBlocked: Bool,
        _ run: @escaping @Sendable (_ store: DeliveryStore, _ keeper: RevocationPoller) throws -> Void
    ) {
        (testDescription, self.known, self.isBlocked, self.run) = (description, known, isBlocked, run)
    }
}

extension RevocationInterleaving {
    static let block = Revocation.sample(1, appID: "shop", .user("user-1"))
    static let secondBlock = Revocation.sample(2, appID: "shop", .user("user-1"))

    static let all = [
        RevocationInterleaving("a block", isBlocked: true) { store, keeper in
            try store.revoke(block)
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block that was answered twice", isBlocked: true) { store, keeper in
            try store.revoke(block)
            keeper.take(.added(block))
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block after another replica's block", isBlocked: true) { store, keeper in
            try store.revoke(secondBlock)
            try store.revoke(block)
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block after a refresh has read", isBlocked: true) { store, keeper in
            store.afterAnswers(1) { () throws(StoreError) in try store.revoke(block) }
            keeper.refresh()
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block that another replica has removed", isBlocked: false) { store, keeper in
            try store.revoke(block)
            _ = try store.removeRevocation(block.id)
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block that a refresh has seen come and go", isBlocked: false) { store, keeper in
            try store.revoke(block)
            _ = try store.removeRevocation(block.id)
            keeper.refresh()
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block that is taken in after its removal", isBlocked: false) { store, keeper in
            try store.revoke(block)
            _ = try store.removeRevocation(block.id)
            keeper.take(.removed(block.id))
            keeper.take(.added(block))
        },
        RevocationInterleaving("an unblock", known: [block], isBlocked: false) { store, keeper in
            _ = try store.removeRevocation(block.id)
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("an unblock after a refresh has read", known: [block], isBlocked: false) { store, keeper in
            store.afterAnswers(1) { () throws(StoreError) in _ = try store.removeRevocation(block.id) }
            keeper.refresh()
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("an unblock of one of two blocks", known: [block, secondBlock], isBlocked: true) { store, keeper in
            _ = try store.removeRevocation(block.id)
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving(
            "an unblock of one block, after another replica's of the other", known: [block, secondBlock], isBlocked: false
        ) { store, keeper in
            _ = try store.removeRevocation(secondBlock.id)
            _ = try store.removeRevocation(block.id)
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("an unblock that finds nothing to do", known: [block], isBlocked: false) { store, keeper in
            _ = try store.removeRevocation(block.id)
            keeper.take(nil)
        },
        RevocationInterleaving("an unblock before another replica's block", known: [block], isBlocked: true) { store, keeper in
            _ = try store.removeRevocation(block.id)
            try store.revoke(secondBlock)
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("a block before all are read again", isBlocked: true) { store, keeper in
            loseTouch(store, keeper)
            store.afterAnswers(1) { () throws(StoreError) in try store.revoke(block) }
            keeper.refresh()
            keeper.take(.added(block))
        },
        RevocationInterleaving("a block after all were read again", isBlocked: true) { store, keeper in
            loseTouch(store, keeper)
            store.afterAnswers(2) { () throws(StoreError) in try store.revoke(block) }
            keeper.refresh()
            keeper.take(.added(block))
        },
        RevocationInterleaving("an unblock before all are read again", known: [block], isBlocked: false) { store, keeper in
            loseTouch(store, keeper)
            store.afterAnswers(1) { () throws(StoreError) in _ = try store.removeRevocation(block.id) }
            keeper.refresh()
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("an unblock after all were read again", known: [block], isBlocked: false) { store, keeper in
            loseTouch(store, keeper)
            store.afterAnswers(2) { () throws(StoreError) in _ = try store.removeRevocation(block.id) }
            keeper.refresh()
            keeper.take(.removed(block.id))
        },
        RevocationInterleaving("a block while the store cannot be asked", isBlocked: true) { store, keeper in
            try store.revoke(block)
            store.refuse(.revocations, times: 2)
            keeper.take(.added(block))
            keeper.refresh()
        },
        RevocationInterleaving("an unblock while the store cannot be asked", known: [block], isBlocked: false) { store, keeper in
            _ = try store.removeRevocation(block.id)
            store.refuse(.revocations, times: 2)
            keeper.take(.removed(block.id))
            keeper.refresh()
        },
        RevocationInterleaving("a block after thousands of others", isBlocked: true) { store, keeper in
            for number in 10..<6010 as Range<UInt64> { try store.revoke(.sample(number, appID: "other", .keyID(UInt32(number)))) }
            try store.revoke(block)
            keeper.take(.added(block))
        },
    ]

    /// Makes the next refresh read all revocations.
    private static func loseTouch(_ store: DeliveryStore, _ keeper: RevocationPoller) {
        store.refuse(.revocations, times: 1)
        keeper.refresh()
    }
}
