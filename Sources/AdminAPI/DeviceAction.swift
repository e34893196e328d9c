package import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

package enum DeviceAction: AdminAction, Equatable {
    /// Lists matching devices by person and device, at most `limit`, after the end of an earlier page.
    case list(DeviceFilter, after: Device.Key?, limit: Int)
    /// Removes all devices of one person, or one of them.
    case remove(DeviceFilter)

    /// Makes a list action.
    /// - Parameter after: `next` of an earlier page.
    package static func listing(
        appID: String?, userID: String?, deviceID: String?, after: String?, limit: Int?
    ) throws(AdminProblem) -> DeviceAction {
        let filter = DeviceFilter(appID: try required("app_id", appID), userID: userID, deviceID: deviceID)
        let place = try after.map { text throws(AdminProblem) in try DeviceCursor.key(text, appID: filter.appID) }
        return .list(filter, after: place, limit: limit ?? AdminAnswer.defaultLimit)
    }

    /// Makes a remove action. It must name a person, so that a forgotten criterion does not remove the tokens of a whole app.
    package static func removing(appID: String?, userID: String?, deviceID: String?) throws(AdminProblem) -> DeviceAction {
        let (app, user) = (try required("app_id", appID), try required("user_id", userID))
        return .remove(DeviceFilter(appID: app, userID: user, deviceID: deviceID))
    }

    package var change: String? {
        switch self {
        case .list: nil
        case .remove: "push_tokens.remove"
        }
    }

    package var shortening: String { "name the user with user_id, so that an index finds the devices" }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let after, let limit):
            // One more than the limit shows whether there are more.
            let found = try context.store.devices(filter, after: after, limit: limit + 1)
            if found.isEmpty, let problem = try context.problem(in: filter) { return problem }
            let shown = found.prefix(limit)
            let next = found.count > limit ? shown.last.map { DeviceCursor.text($0.key) } : nil
            return AdminAnswer([
                "push_tokens": .array(shown.map { .object($0.json(named: context.userReference($0.key.appID, $0.key.userID))) }),
                "next": next.map { .string($0) } ?? .null,
            ])
        case .remove(let filter):
            let count = try context.store.removeDevices(filter, now: context.now, telling: context.state.registryAudience)
            if count == 0, let problem = try context.problem(in: filter) { return problem }
            return AdminAnswer(.removed(count))
        }
    }

    private static func required(_ name: String, _ text: String?) throws(AdminProblem) -> String {
        guard let text, !text.isEmpty else { throw AdminProblem(name, "missing; expected the owner of the push tokens.") }
        return text
    }
}

extension Device {
    static let members = [
        "app_id", "user_id", "device_id", "type", "token", "environment", "registered_at", "seen_at", "user_ref",
    ]

    /// The device in the JSON for operators, with its token masked.
    /// - Parameter reference: the person's `user_ref` in the log.
    func json(named reference: String?) -> JSONObject {
        [
            "app_id": .string(key.appID), "user_id": .string(key.userID), "device_id": .string(key.deviceID), "type": .string(type),
            "token": .string(token.masked), "environment": environment.map { .string($0) } ?? .null,
            "registered_at": .string(RFC3339.text(registeredAt)), "seen_at": .string(RFC3339.text(seenAt)),
            "user_ref": reference.map { .string($0) } ?? .null,
        ]
    }
}

/// The mapping between push token actions and requests to the admin listener, in both directions.
extension DeviceAction {
    private static let path: StaticString = "/v1/push-tokens"
    private static let criteria = [
        AdminRoute.Parameter("app_id", place: .query, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .query, text: "The person."),
        AdminRoute.Parameter("device_id", place: .query, text: "The device."),
    ]
    /// The parameters of a removal, which must name a person.
    private static let removal = criteria.map { parameter in
        parameter.name != "user_id"
            ? parameter : AdminRoute.Parameter("user_id", place: .query, isRequired: true, text: "The person.")
    }

    static let routes = [
        AdminRoute(
            .get, path: path, role: .read, summary: "The registered push tokens, masked, by person and device.",
            parameters: criteria + AdminQuery.page,
            answer: AdminRoute.Answer(
                ["push_tokens", "next"], ["push_tokens": AdminSchema.devices],
                text: "The push tokens, and the position of the next page; null at the end.",
                links: .person("/push_tokens/0") + .device("/push_tokens/0")),
            handling: .fromStore { request throws(AdminProblem) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .delete, path: path, role: .operate, summary: "Removes the push tokens of one person, or one of them.", parameters: removal,
            answer: AdminRoute.Answer(["removed"], text: "The number of removed push tokens."),
            handling: .fromStore { request throws(AdminProblem) in try removing(AdminQuery(request.queryItems())) }),
    ]

    package var request: AdminRequest {
        switch self {
        case .list(let filter, let after, let limit):
            let place = after.map { [("after", DeviceCursor.text($0))] } ?? []
            return AdminRequest(.get, "\(Self.path)", query: Self.texts(of: filter) + place + [("limit", "\(limit)")])
        case .remove(let filter): return AdminRequest(.delete, "\(Self.path)", query: Self.texts(of: filter))
        }
    }

    /// `GET /v1/push-tokens`
    static func listing(_ query: AdminQuery) throws(AdminProblem) -> DeviceAction {
        let values = try query.values(of: criteria + AdminQuery.page)
        let limit = try values["limit"].map { text throws(AdminProblem) in try AdminQuery.limit(text) }
        return try listing(
            appID: values["app_id"], userID: values["user_id"], deviceID: values["device_id"], after: values["after"], limit: limit)
    }

    /// `DELETE /v1/push-tokens`
    static func removing(_ query: AdminQuery) throws(AdminProblem) -> DeviceAction {
        let values = try query.values(of: criteria)
        return try removing(appID: values["app_id"], userID: values["user_id"], deviceID: values["device_id"])
    }

    private static func texts(of filter: DeviceFilter) -> [(name: String, text: String)] {
        let values: [(String, String?)] = [("app_id", filter.appID), ("user_id", filter.userID), ("device_id", filter.deviceID)]
        return values.compactMap { name, text in text.map { (name, $0) } }
    }
}

/// The cursor of a list of push tokens, an opaque text: person and device, separated by a NUL, which neither contains.
enum DeviceCursor {
    /// The cursor after the last device of a page.
    static func text(_ key: Device.Key) -> String {
        Base64URL.encode((Array(key.userID.utf8) + [0] + Array(key.deviceID.utf8)).span)
    }

    static func key(_ text: String, appID: String) throws(AdminProblem) -> Device.Key {
        let parts = Base64URL.decode(text)?.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, let user = String(validating: parts[0], as: UTF8.self),
            let device = String(validating: parts[1], as: UTF8.self)
        else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
        return Device.Key(appID: appID, userID: user, deviceID: device)
    }
}
