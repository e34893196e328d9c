internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON

/// The mapping between queries and requests to the admin listener, in both directions.
extension ExplainAction {
    private static let path: StaticString = "/v1/explain"
    private static let parameters = [
        AdminRoute.Parameter("app_id", place: .query, text: "The app; may be left out where only one is configured."),
        AdminRoute.Parameter("user_id", place: .query, text: "The person, alone or with a security key or a device."),
        AdminRoute.Parameter("security_key", place: .query, text: "A security key, which is checked as authorization would check it now."),
        AdminRoute.Parameter("comment_id", place: .query, text: "A comment and its deliveries."),
        AdminRoute.Parameter("device_id", place: .query, text: "A device, and whether it is notified."),
        AdminRoute.Parameter("delivery_id", place: .query, text: "A delivery and its attempts."),
        Language.parameter,
    ]

    /// `GET /v1/explain`
    static let route = AdminRoute(
        .get, path: path, role: .read, summary: "Why a person is denied or was not notified: the findings and the remedy.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            Explanation.members, text: "The answer in one sentence, the first remedy, and the findings in order of processing."
        ),
        handling: .fromStore { request throws(AdminProblem) in
            let values = try AdminQuery(request.queryItems()).values(of: parameters)
            return try ExplainAction(
                appID: values["app_id"], userID: values["user_id"], securityKey: values["security_key"], commentID: values["comment_id"],
                deviceID: values["device_id"], deliveryID: values["delivery_id"], language: values[Language.parameter.name])
        })

    package var request: AdminRequest {
        let asked: [(name: String, text: String?)] =
            switch question {
            case .key(let key, let userID): [("user_id", userID), ("security_key", key)]
            case .user(let userID): [("user_id", userID)]
            case .comment(let comment): [("comment_id", comment.text)]
            case .device(let device, let userID): [("user_id", userID), ("device_id", device)]
            case .delivery(let id): [("delivery_id", id.description)]
            }
        let spoken = language == .english ? nil : language.rawValue
        let query = ([("app_id", appID)] + asked + [(Language.parameter.name, spoken)]).compactMap { name, text in
            text.map { (name: name, text: $0) }
        }
        return AdminRequest(.get, "\(Self.path)", query: query)
    }
}
