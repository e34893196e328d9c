internal import Bytes
internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// The mapping between deliveries' actions and requests to the admin listener, in both directions.
extension DeliveryAction {
    package var request: AdminRequest {
        let path = "/v1/deliveries"
        return switch self {
        case .list(let filter, let after, let limit, let language):
            AdminRequest(
                .get, path,
                query: DeliveryCriteria.texts(of: filter) + (after.map { [("after", $0.description)] } ?? []) + [("limit", "\(limit)")]
                    + language.query)
        case .show(let id, let language): AdminRequest(.get, "\(path)/\(id)", query: language.query)
        case .retryOne(let id): AdminRequest(.post, "\(path)/\(id)/retry")
        case .retry(let filter, let after): AdminRequest(.post, "\(path)/retry", body: Self.body(filter, after))
        case .giveUp(let notifier):
            AdminRequest(.delete, path, query: [("state", Delivery.State.pending.rawValue), ("notifier", notifier)])
        case .purge(let state, let before):
            AdminRequest(.delete, path, query: [("state", state.rawValue)] + (before.map { [("before", RFC3339.text($0))] } ?? []))
        }
    }

    /// `GET /v1/deliveries`
    static func listing(_ query: AdminQuery) throws(AdminProblem) -> DeliveryAction {
        var criteria = DeliveryCriteria()
        var page: [String: String] = [:]
        for (name, text) in query.items {
            guard let name = listed.map(\.name).first(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                try criteria.add(name, text)
                continue
            }
            guard page.updateValue(text, forKey: name) == nil else { throw AdminProblem(name, "given twice.") }
        }
        let limit = try page["limit"].map { text throws(AdminProblem) in try AdminQuery.limit(text) }
        return try listing(
            criteria.filter, after: page["after"], limit: limit, in: Language(parameter: page[Language.parameter.name]))
    }

    /// The parameters of `GET /v1/deliveries` in addition to the criteria.
    private static let listed = AdminQuery.page + [Language.parameter]

    /// The parameters of `DELETE /v1/deliveries`.
    static let purgeParameters = [
        AdminRoute.Parameter(
            "state", place: .query, kind: .choice(Delivery.State.allCases.map(\.rawValue)), isRequired: true, text: "Their state."),
        AdminRoute.Parameter("before", place: .query, kind: .time, text: "Only those that ended before this time."),
        AdminRoute.Parameter("notifier", place: .query, text: "With the state pending: the notifier whose deliveries are given up."),
    ]

    /// `DELETE /v1/deliveries`
    static func purging(_ query: AdminQuery) throws(AdminProblem) -> DeliveryAction {
        let values = try query.values(of: purgeParameters)
        return try purging(state: values["state"], before: values["before"], notifier: values["notifier"])
    }

    private static func body(_ filter: DeliveryFilter, _ after: RetryCursor?) -> [UInt8] {
        var object = JSONObject()
        for (name, text) in DeliveryCriteria.texts(of: filter) {
            let id = DeliveryCriteria.identities.contains(name) ? HelpDeskID(text) : nil
            object.append(id?.json ?? .string(text), forKey: name)
        }
        if object.members.isEmpty { object.append(true, forKey: "all") }
        if let after { object.append(.string(after.description), forKey: DeliveryRetryBody.after.name) }
        return JSONValue.object(object).serialized()
    }
}

/// The routes of deliveries: list, show, retry, purge.
extension DeliveryAction {
    private static let id = AdminRoute.Parameter("id", place: .path, isRequired: true, text: "The delivery's id.")
    private static let path: StaticString = "/v1/deliveries"

    static let routes = [
        AdminRoute(
            .get, path: path, role: .read, summary: "The deliveries that match all criteria, newest first.",
            parameters: DeliveryCriteria.parameters + listed,
            answer: AdminRoute.Answer(
                ["deliveries", "next"], ["deliveries": AdminSchema.deliveries],
                text: "The deliveries, and the position of the next page; null at the end.", links: .delivery("/deliveries/0/id")),
            handling: .fromStore { request throws(AdminProblem) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .delete, path: path, role: .operate,
            summary: "Deletes deliveries that have ended, or marks those that wait for one notifier as dead.",
            parameters: purgeParameters,
            answer: AdminRoute.Answer(["purged"], text: "The number of purged deliveries."),
            handling: .fromStore { request throws(AdminProblem) in try purging(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .get, path: "/v1/deliveries/:id", role: .read, summary: "One delivery with all its attempts.",
            parameters: [id, Language.parameter],
            answer: AdminRoute.Answer(Delivery.members + ["data_kept", "tries"], AdminSchema.delivery, text: "The delivery."),
            handling: .fromStore { request throws(AdminProblem) in
                let values = try AdminQuery(request.queryItems()).values(of: [Language.parameter])
                let language = try Language(parameter: values[Language.parameter.name])
                return id(of: request).map { DeliveryAction.show($0, in: language) }
            }),
        AdminRoute(
            .post, path: "/v1/deliveries/:id/retry", role: .operate, summary: "Makes a dead delivery pending again.", parameters: [id],
            answer: AdminRoute.Answer(["retried"], text: "The number of retried deliveries: 1.", refusals: [409]),
            handling: .fromStore { request in id(of: request).map { DeliveryAction.retryOne($0) } }),
        AdminRoute(
            .post, path: "/v1/deliveries/retry", role: .operate,
            summary: "Makes dead deliveries that match pending again, at most \(retriedPerStep) of a set that is fixed when it begins.",
            parameters: DeliveryRetryBody.criteria + [DeliveryRetryBody.all, DeliveryRetryBody.after],
            answer: AdminRoute.Answer(
                ["retried", "kept", "total", "left", "next"],
                [
                    "kept": Schema.object(RetryObstacle.allCases.map { ($0.rawValue, AdminSchema.count) }), "total": AdminSchema.count,
                    "left": AdminSchema.count,
                ],
                text:
                    "How many of the step are pending again, and how many stay dead and why; how many the set had when it began, and how many "
                    + "of them are left; and where the next step begins, null when none is left. What dies meanwhile is not in the set."),
            handling: .fromStore { request throws(AdminProblem) in
                try request.withBody { body throws(AdminProblem) in try DeliveryRetryBody.action(body) }
            }),
    ]

    private static func id(of request: borrowing Request) -> UUIDv7? {
        request.withPathParameter { parameter in
            String(validating: Array(copying: parameter), as: UTF8.self).flatMap { UUIDv7($0) }
        }
    }
}
