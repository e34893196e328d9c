internal import Core
internal import HTTPClient
internal import HTTPServer

/// Push tokens in requests to the admin listener, both ways.
extension DeviceAction {
    private static let path: StaticString = "/v1/push-tokens"
    private static let criteria = [
        AdminRoute.Parameter("app_id", .query, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", .query, text: "The person."),
        AdminRoute.Parameter("device_id", .query, text: "The device."),
    ]

    /// The push tokens on the admin listener: who is notified where, and not any more.
    static let routes = [
        AdminRoute(
            .get, path, .read, summary: "The registered push tokens, masked, by person and device.", criteria + AdminQuery.page,
            answer: AdminRoute.Answer(["push_tokens", "next"], text: "The push tokens, and where the list goes on; null at its end."),
            .fromStore { request throws(AdminMistake) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .delete, path, .operate, summary: "Removes the push tokens of one person, or one of them.", criteria,
            answer: AdminRoute.Answer(["removed"], text: "How many."),
            .fromStore { request throws(AdminMistake) in try removing(AdminQuery(request.queryItems())) }),
    ]

    /// As `AdminAction` says.
    package var request: AdminRequest {
        switch self {
        case .list(let filter, let after, let limit):
            let place = after.map { [("after", DeviceCursor.text($0))] } ?? []
            return AdminRequest(.get, "\(Self.path)", query: Self.texts(of: filter) + place + [("limit", "\(limit)")])
        case .remove(let filter): return AdminRequest(.delete, "\(Self.path)", query: Self.texts(of: filter))
        }
    }

    /// `GET /v1/push-tokens`
    static func listing(_ query: AdminQuery) throws(AdminMistake) -> DeviceAction {
        let values = try query.values(of: criteria + AdminQuery.page)
        let limit = try values["limit"].map { text throws(AdminMistake) in try AdminQuery.limit(text) }
        return try listing(
            appID: values["app_id"], userID: values["user_id"], deviceID: values["device_id"], after: values["after"], limit: limit)
    }

    /// `DELETE /v1/push-tokens`
    static func removing(_ query: AdminQuery) throws(AdminMistake) -> DeviceAction {
        let values = try query.values(of: criteria)
        return try removing(appID: values["app_id"], userID: values["user_id"], deviceID: values["device_id"])
    }

    private static func texts(of filter: DeviceFilter) -> [(name: String, text: String)] {
        let values: [(String, String?)] = [("app_id", filter.appID), ("user_id", filter.userID), ("device_id", filter.deviceID)]
        return values.compactMap { name, text in text.map { (name, $0) } }
    }
}
