package import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON

/// Queries whether active revocations invalidate one key of a person, for `deskgate key verify`.
///
/// The answer contains only the results that authorization needs from revocations. The caller decides the rest with its own configuration,
/// which may differ from the service's.
package struct KeyRevocationAction: AdminAction {
    private let person: AppUser
    private let securityKey: String

    /// Checks the fields.
    /// - Parameter securityKey: the key. If only the app's backend can verify it, only a block of its person applies.
    package init(appID: String?, userID: String?, securityKey: String?) throws(AdminProblem) {
        person = AppUser(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
        guard let securityKey, !securityKey.isEmpty else { throw AdminProblem("security_key", "expected the key.") }
        self.securityKey = securityKey
    }

    package var change: String? { nil }

    private var key: SecurityKey? { SecurityKey(securityKey.utf8.span) }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let authorizer = context.state.authorizer
        guard let index = authorizer.index(of: person.appID.utf8.span) else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        let revocations = try context.revocations()
        guard revocations.isKnown else { return AdminAnswer(["known": false, "revoked": .null, "blocked": .null]) }
        let (app, appID, userID) = (authorizer.applications[index].digest, person.appID.utf8.span, person.userID.utf8.span)
        do throws(CryptoError) {
            let isBlocked = try revocations.blocks(app: app, appID: appID, userID: userID)
            var isRevoked = isBlocked
            if let key { isRevoked = try revocations.revokes(key, app: app, appID: appID, userID: userID) }
            return AdminAnswer(["known": true, "revoked": .bool(isRevoked), "blocked": .bool(isBlocked)])
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }

    /// Returns revocations from an answer that are sufficient to decide about this key and person; nil when the request was rejected.
    package func revocations(in answer: AdminAnswer) -> Revocations? {
        switch (answer.json["known"], answer.json["revoked"], answer.json["blocked"]) {
        case (.bool(false), _, _): .unknown
        case (.bool(true), .bool(let isRevoked), .bool(let isBlocked)):
            .concerning(person, key, isBlocked: isBlocked, isRevoked: isRevoked)
        default: nil
        }
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension KeyRevocationAction {
    private static let path: StaticString = "/v1/keys/revoked"
    private static let parameters = [
        AdminRoute.Parameter("app_id", place: .query, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .query, isRequired: true, text: "The person."),
        AdminRoute.Parameter("security_key", place: .query, isRequired: true, text: "The key, of which nothing else is checked."),
    ]

    /// `GET /v1/keys/revoked`
    static let route = AdminRoute(
        .get, path: path, role: .read, summary: "Whether the revocations in force end a key of a person.", parameters: parameters,
        answer: AdminRoute.Answer(
            ["known", "revoked", "blocked"],
            ["known": AdminSchema.flag, "revoked": Schema.nullable(AdminSchema.flag), "blocked": Schema.nullable(AdminSchema.flag)],
            text:
                "Whether revocations are available, and if so, whether they invalidate the key, and whether the person is blocked or was forgotten."
        ),
        handling: .fromStore { request throws(AdminProblem) in
            let values = try AdminQuery(request.queryItems()).values(of: parameters)
            return .some(
                try KeyRevocationAction(appID: values["app_id"], userID: values["user_id"], securityKey: values["security_key"]))
        })

    package var request: AdminRequest {
        AdminRequest(
            .get, "\(Self.path)", query: [("app_id", person.appID), ("user_id", person.userID), ("security_key", securityKey)])
    }
}
