package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

package struct PersonAction: AdminAction, Equatable {
    package enum Kind: String, Sendable {
        /// Revokes all keys issued until now, and removes the devices.
        case signOut = "sign-out"
        /// Denies all keys, including later ones, until the person is unblocked, and removes the devices.
        case block
        case unblock
    }

    private static let revocationsPerPage = 1000

    private let kind: Kind
    private let person: AppUser
    private let reason: String

    package init(_ kind: Kind, appID: String?, userID: String?, reason: String?) throws(AdminProblem) {
        self.kind = kind
        person = AppUser(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
        self.reason = try PersonFields.reason(reason)
    }

    package var change: String? {
        switch kind {
        case .signOut: "users.sign_out"
        case .block: "users.block"
        case .unblock: "users.unblock"
        }
    }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard context.state.authorizer.index(of: person.appID.utf8.span) != nil else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        switch kind {
        case .signOut: return try signOut(context)
        case .block: return try block(context)
        case .unblock: return try unblock(context)
        }
    }

    private func signOut(_ context: AdminContext) throws(StoreError) -> AdminAnswer {
        let bound = Revocation.bound(after: context.sharedNow)
        let added = try context.revoke(person.appID, .user(person.userID), issuedBefore: bound, reason: reason)
        // Also removes devices whose keys were issued by a clock that is ahead.
        let removed = try added.devicesRemoved + removeDevices(context)
        return AdminAnswer(
            [
                "id": .string(added.id.description), "issued_before": .integer(Int64(clamping: bound.rawValue)),
                "removed": .integer(Int64(removed)),
            ], change: .removed(removed), about: context.about(added, userID: person.userID))
    }

    private func block(_ context: AdminContext) throws(StoreError) -> AdminAnswer {
        let (block, removed): (Revocation, Int)
        if let earlier = try blocks(context).first {
            // Another replica may have just created the block.
            context.onRevocation(.added(earlier))
            // An earlier version did not remove the devices.
            (block, removed) = (earlier, try removeDevices(context))
        } else {
            block = try context.revoke(person.appID, .user(person.userID), issuedBefore: nil, reason: reason)
            removed = block.devicesRemoved
        }
        return AdminAnswer(
            ["id": .string(block.id.description), "removed": .integer(Int64(removed))], change: .removed(removed),
            about: context.about(block, userID: person.userID))
    }

    /// - Returns: the number of the person's devices that were removed.
    private func removeDevices(_ context: AdminContext) throws(StoreError) -> Int {
        let devices = DeviceFilter(appID: person.appID, userID: person.userID)
        return try context.store.removeDevices(devices, now: context.now, telling: context.state.registryAudience)
    }

    private func unblock(_ context: AdminContext) throws(StoreError) -> AdminAnswer {
        let blocks = try blocks(context)
        // Another replica may have just removed the last block.
        if blocks.isEmpty { context.onRevocation(nil) }
        var removed = 0
        for block in blocks where try context.remove(block.id) != nil { removed += 1 }
        let reference = context.userReference(person.appID, person.userID) ?? ""
        let isForgotten = try context.store.formerRevocation(of: person) != nil
        return AdminAnswer(
            ["removed": .integer(Int64(removed)), "forgotten": .bool(isForgotten)], change: .removed(removed),
            about: [AuditField(name: "app", text: person.appID), AuditField(name: "user_ref", text: reference)])
    }

    /// Returns the blocks of the person. Several exist if operators blocked the person at the same time.
    private func blocks(_ context: AdminContext) throws(StoreError) -> [Revocation] {
        var found: [Revocation] = []
        var last: UUIDv7?
        while true {
            let page = try context.store.revocations(of: person, after: last, limit: Self.revocationsPerPage)
            found += page.filter(\.isBlock)
            guard page.count == Self.revocationsPerPage else { return found }
            last = page.last?.id
        }
    }
}

/// The mapping between actions on people and requests to the admin listener, in both directions.
extension PersonAction {
    static let parameters = [
        AdminRoute.Parameter("app_id", place: .body, kind: PersonFields.appGrammar, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, isRequired: true, text: "The person."),
        AdminRoute.Parameter("reason", place: .body, kind: PersonFields.reasonGrammar, text: "The reason, for other operators."),
    ]

    /// The routes for actions on people: sign out, block, unblock.
    static let routes = [
        route(
            .signOut, path: "/v1/users/sign-out",
            summary: "Revokes all keys of a person that were issued until now, and removes the devices.",
            answer: AdminRoute.Answer(
                ["id", "issued_before", "removed"], ["id": AdminSchema.uuid, "issued_before": AdminSchema.count],
                text: "The revocation, its bound in Unix seconds, and the number of removed devices.", links: .revocation("/id"))),
        route(
            .block, path: "/v1/users/block", summary: "Denies a person, with any key, until unblocked, and removes the devices.",
            answer: AdminRoute.Answer(
                ["id", "removed"], ["id": AdminSchema.uuid],
                text: "The revocation, or the existing one if the person was already blocked, and the number of removed devices.",
                links: .revocation("/id"))),
        route(
            .unblock, path: "/v1/users/unblock", summary: "Removes the block: keys without another revocation are valid again.",
            answer: AdminRoute.Answer(
                ["removed", "forgotten"], ["forgotten": AdminSchema.flag],
                text: "How many blocks; 0 when the person was not blocked. One who was forgotten stays out.")),
    ]

    private static func route(_ kind: Kind, path: StaticString, summary: String, answer: AdminRoute.Answer) -> AdminRoute {
        AdminRoute(
            .post, path: path, role: .operate, summary: summary, parameters: parameters, answer: answer,
            handling: .fromStore { request throws(AdminProblem) in
                .some(try request.withBody { body throws(AdminProblem) in try PersonAction(kind, body) })
            })
    }

    private init(_ kind: Kind, _ body: Span<UInt8>) throws(AdminProblem) {
        let fields = try AdminFields(body, Self.parameters)
        try self.init(kind, appID: fields.text("app_id"), userID: fields.text("user_id"), reason: fields.text("reason"))
    }

    package var request: AdminRequest {
        AdminRequest(.post, "/v1/users/\(kind.rawValue)", body: PersonFields.body(person, reason: reason))
    }
}
