internal import Core
internal import HTTPClient

/// Push tokens in requests to the admin listener, both ways.
extension DeviceAction {
    /// Where the admin listener has them.
    static let path: StaticString = "/v1/push-tokens"
    private static let criteria = ["app_id", "user_id", "device_id"]

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
        let values = try query.values(of: criteria + ["after", "limit"])
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
