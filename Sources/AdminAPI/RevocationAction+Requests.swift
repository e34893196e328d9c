internal import Bytes
internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON

/// The mapping between revocations' actions and requests to the admin listener, in both directions.
extension RevocationAction {
    private static let path: StaticString = "/v1/revocations"
    private static let criteria = [
        AdminRoute.Parameter("app_id", place: .query, text: "Only revocations of this app."),
        AdminRoute.Parameter("user_id", place: .query, text: "Only revocations that name this person of app_id."),
    ]

    static let routes = [
        AdminRoute(
            .post, path: path, role: .operate,
            summary:
                "Revokes a security key, or those of a person, of a key id or of an app, and removes the devices that registered with "
                + "them.",
            parameters: RevocationRequest.parameters,
            answer: AdminRoute.Answer(
                Revocation.members, AdminSchema.revocation, status: 201,
                text: "The revocation, which is in force, and how many devices it has removed so far.", links: .revocation("/id")),
            handling: .fromStore { request throws(AdminProblem) in
                .some(RevocationAction.add(try request.withBody { body throws(AdminProblem) in try RevocationRequest(body) }))
            }),
        AdminRoute(
            .get, path: path, role: .read, summary: "The revocations in force, newest first.", parameters: criteria + AdminQuery.page,
            answer: AdminRoute.Answer(
                ["revocations", "next"], ["revocations": AdminSchema.revocations],
                text: "The revocations, and the position of the next page; null at the end.", links: .revocation("/revocations/0/id")),
            handling: .fromStore { request throws(AdminProblem) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .delete, path: "/v1/revocations/:id", role: .operate, summary: "Removes a revocation: its keys are valid again.",
            parameters: [AdminRoute.Parameter("id", place: .path, isRequired: true, text: "The revocation's id.")],
            answer: AdminRoute.Answer(["removed"], text: "The number of removed revocations: 1."),
            handling: .fromStore { request in
                request.withPathParameter { parameter in
                    String(validating: Array(copying: parameter), as: UTF8.self).flatMap { removing($0) }
                }
            }),
    ]

    package var request: AdminRequest {
        switch self {
        case .add(let wanted): return AdminRequest(.post, "\(Self.path)", body: wanted.body)
        case .list(let filter, let after, let limit):
            let named: [(String, String)] =
                switch filter {
                case .all: []
                case .app(let appID): [("app_id", appID)]
                case .person(let person): [("app_id", person.appID), ("user_id", person.userID)]
                }
            let place = after.map { [("after", $0.description)] } ?? []
            return AdminRequest(.get, "\(Self.path)", query: named + place + [("limit", "\(limit)")])
        case .remove(let id): return AdminRequest(.delete, "\(Self.path)/\(id)")
        }
    }

    /// `GET /v1/revocations`
    static func listing(_ query: AdminQuery) throws(AdminProblem) -> RevocationAction {
        let values = try query.values(of: criteria + AdminQuery.page)
        let limit = try values["limit"].map { text throws(AdminProblem) in try AdminQuery.limit(text) }
        return try listing(appID: values["app_id"], userID: values["user_id"], after: values["after"], limit: limit)
    }
}
