internal import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// Shows all data about a person: whether the person may chat now, and the devices, revocations and latest deliveries.
package struct UserAction: AdminAction, Equatable {
    /// The maximum number of deliveries in the answer, latest first.
    private static let maximumDeliveries = 20
    /// The maximum number of devices and of revocations in the answer. A real person has fewer.
    private static let maximumRows = 100

    private let person: AppUser

    package init(appID: String?, userID: String?) throws(AdminProblem) {
        person = AppUser(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
    }

    package var change: String? { nil }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard let index = context.state.authorizer.index(of: person.appID.utf8.span) else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        let application = context.state.authorizer.applications[index]
        let search = try RevocationSearch(context.store, appID: person.appID, userID: person.userID, key: nil)
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        let devices = try context.store.devices(filter, after: nil, limit: Self.maximumRows)
        let deliveries = try context.store.page(of: deliveryFilter, after: nil, limit: Self.maximumDeliveries)
        let limits = try limits(devices.map(\.key.deviceID), context)
        let reference = context.userReference(person.appID, person.userID)
        let reason = search.former != nil ? "forgotten" : search.named.contains(where: \.isBlock) ? "blocked" : nil
        let revocations = (search.former.map { [$0] } ?? []) + search.named.prefix(Self.maximumRows) + search.shared
        let isBlocked = reason != nil || (search.named + search.shared).contains { $0.denies(of: application, at: context.sharedNow) }
        return AdminAnswer([
            "app_id": .string(person.appID), "user_id": .string(person.userID), "user_ref": reference.map { .string($0) } ?? .null,
            "may_chat": .bool(!isBlocked), "reason": reason.map { .string($0) } ?? .null,
            "keys_since": (search.named + search.shared).keysSince.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
            "verify": .string(application.verification.rawValue),
            "shadow_until": application.shadowEnd(at: context.now.seconds).map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
            "push_tokens": .array(devices.map { .object($0.json(named: reference)) }), "registrations": .array(limits),
            "revocations": .array(revocations.map { .object($0.json(context)) }),
            "revocations_complete": .bool(!search.isCut && search.named.count <= Self.maximumRows),
            "deliveries": .array(deliveries.deliveries.map { .object($0.json(context)) }),
            "deliveries_complete": .bool(deliveries.next == nil),
        ])
    }

    private var deliveryFilter: DeliveryFilter {
        var filter = DeliveryFilter()
        (filter.appID, filter.userID) = (person.appID, person.userID)
        return filter
    }

    /// Returns the usage of the registration limits of the person and each device. For the limits of the app and the service, returns only
    /// the rules.
    private func limits(_ devices: [String], _ context: AdminContext) throws(StoreError) -> [JSONValue] {
        let calls = try context.store.registrationCalls(of: person, devices: devices)
        return context.state.configuration.pushTokens.limits.flatMap { rule -> [JSONValue] in
            switch rule.scope {
            case .user: [Self.json(LimitUse(rule, calls.user, now: context.now), device: nil)]
            case .device:
                zip(devices, calls.devices).map { device, times in
                    Self.json(LimitUse(rule, times, now: context.now), device: device)
                }
            case .app, .service: [Self.json(rule, used: nil, nextAt: nil, device: nil)]
            }
        }
    }

    private static func json(_ use: LimitUse, device: String?) -> JSONValue {
        json(use.rule, used: use.used, nextAt: use.nextAt, device: device)
    }

    private static func json(_ rule: LimitRule, used: Int?, nextAt: UnixMilliseconds?, device: String?) -> JSONValue {
        [
            "per": .string(rule.scope.rawValue), "device_id": device.map { .string($0) } ?? .null,
            "used": used.map { .integer(Int64($0)) } ?? .null, "max": .integer(Int64(rule.max)),
            "window_seconds": .integer(Int64(clamping: rule.windowMilliseconds / 1000)),
            "next_at": nextAt.map { .string(RFC3339.text($0)) } ?? .null,
        ]
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension UserAction {
    private static let path: StaticString = "/v1/users"
    private static let parameters = [
        AdminRoute.Parameter("app_id", place: .query, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .query, isRequired: true, text: "The person."),
    ]

    static let route = AdminRoute(
        .get, path: path, role: .read, summary: "Everything that is known of a person.", parameters: parameters,
        answer: AdminRoute.Answer(
            [
                "app_id", "user_id", "user_ref", "may_chat", "reason", "keys_since", "verify", "shadow_until", "push_tokens",
                "registrations", "revocations", "revocations_complete", "deliveries", "deliveries_complete",
            ],
            [
                "registrations": Schema.array(
                    Schema.object([
                        ("per", Schema.choice(LimitRule.Scope.allCases.map(\.rawValue))), ("device_id", AdminSchema.maybeText),
                        ("used", Schema.nullable(AdminSchema.count)),
                        ("max", AdminSchema.count), ("window_seconds", AdminSchema.count), ("next_at", AdminSchema.maybeTime),
                    ]))
            ],
            text:
                "Whether and with keys of which time the person may chat, the push tokens, masked, how much of the limits of registrations is "
                + "used up, with the time of the next one where none is left, the revocations, and the latest deliveries."
        ),
        handling: .fromStore { request throws(AdminProblem) in
            let values = try AdminQuery(request.queryItems()).values(of: parameters)
            return .some(try UserAction(appID: values["app_id"], userID: values["user_id"]))
        })

    package var request: AdminRequest {
        AdminRequest(.get, "\(Self.path)", query: [("app_id", person.appID), ("user_id", person.userID)])
    }
}
