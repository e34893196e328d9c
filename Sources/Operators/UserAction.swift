package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// Shows everything that is known of a person: whether they may chat now, their devices, revocations and latest deliveries.
package struct UserAction: AdminAction, Equatable {
    /// How many of the latest deliveries are shown.
    private static let mostDeliveries = 20
    /// How many devices and revocations are shown; a person has fewer.
    private static let mostRows = 100
    /// Among how many of the latest revocations those of whole apps and key ids are looked for.
    private static let searchedRevocations = 1000

    private let person: RevokedPerson

    /// Checks the fields.
    package init(appID: String?, userID: String?) throws(AdminProblem) {
        person = RevokedPerson(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
    }

    /// As `AdminAction` says.
    package var change: String? { nil }

    /// As `AdminAction` says.
    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard let index = context.state.authorizer.index(of: person.appID.utf8.span) else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        let application = context.state.authorizer.applications[index]
        let former = try context.store.formerRevocation(of: person)
        let own = try context.store.revocations(of: person, after: nil, limit: Self.mostRows + 1)
        let shared = try sharedRevocations(context)
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        let devices = try context.store.devices(filter, after: nil, limit: Self.mostRows)
        let deliveries = try context.store.page(of: deliveryFilter, after: nil, limit: Self.mostDeliveries)
        let reference = context.userReference(person.appID, person.userID)
        let reason = former != nil ? "forgotten" : own.contains(where: \.isBlock) ? "blocked" : nil
        let revocations = (former.map { [$0] } ?? []) + own.prefix(Self.mostRows) + shared.found
        return AdminAnswer([
            "app_id": .string(person.appID), "user_id": .string(person.userID), "user_ref": reference.map { .string($0) } ?? .null,
            "may_chat": .bool(reason == nil), "reason": reason.map { .string($0) } ?? .null,
            "keys_since": Self.bound(own + shared.found).map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
            "verify": .string(application.verification.rawValue),
            "shadow_until": application.shadowEnd(at: context.now.seconds).map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
            "push_tokens": .array(devices.map { .object($0.json(named: reference)) }),
            "revocations": .array(revocations.map { .object($0.json(context)) }),
            "revocations_complete": .bool(shared.isComplete && own.count <= Self.mostRows),
            "deliveries": .array(deliveries.deliveries.map { .object($0.json(context)) }),
            "deliveries_complete": .bool(deliveries.next == nil),
        ])
    }

    private var deliveryFilter: DeliveryFilter {
        var filter = DeliveryFilter()
        (filter.appID, filter.userID) = (person.appID, person.userID)
        return filter
    }

    /// Those of all keys of the app, and of its key ids.
    private func sharedRevocations(_ context: AdminContext) throws(StoreError) -> (found: [Revocation], isComplete: Bool) {
        let latest = try context.store.revocations(of: nil, after: nil, limit: Self.searchedRevocations)
        let found = latest.filter { $0.appID.utf8.elementsEqual(person.appID.utf8) && $0.mayConcern(nil) }
        return (found, latest.count < Self.searchedRevocations)
    }

    /// The first second whose keys count; nil when all do. Revocations of key ids are about some keys only.
    private static func bound(_ revocations: [Revocation]) -> UnixSeconds? {
        revocations.compactMap { revocation in
            if case .keyID = revocation.subject { nil } else { revocation.issuedBefore }
        }.max()
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension UserAction {
    private static let path: StaticString = "/v1/users"
    private static let parameters = [
        AdminRoute.Parameter("app_id", .query, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", .query, isRequired: true, text: "The person."),
    ]

    static let route = AdminRoute(
        .get, path, .read, summary: "Everything that is known of a person.", parameters,
        answer: AdminRoute.Answer(
            [
                "app_id", "user_id", "user_ref", "may_chat", "reason", "keys_since", "verify", "shadow_until", "push_tokens", "revocations",
                "revocations_complete", "deliveries", "deliveries_complete",
            ],
            text:
                "Whether and with keys of which time the person may chat, the push tokens, masked, the revocations, and the latest deliveries."
        ),
        .fromStore { request throws(AdminProblem) in
            let values = try AdminQuery(request.queryItems()).values(of: parameters)
            return .some(try UserAction(appID: values["app_id"], userID: values["user_id"]))
        })

    /// As `AdminAction` says.
    package var request: AdminRequest {
        AdminRequest(.get, "\(Self.path)", query: [("app_id", person.appID), ("user_id", person.userID)])
    }
}
