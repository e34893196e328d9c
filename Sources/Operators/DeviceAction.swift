package import Core
internal import JSON
internal import Time

/// What an operator wants of the registered push tokens.
package enum DeviceAction: AdminAction, Equatable {
    /// Show those that match, by person and device, so many at most, after one that an earlier list has ended with.
    case list(DeviceFilter, after: Device.Key?, limit: Int)
    /// Remove those of one person, or one of them.
    case remove(DeviceFilter)

    /// Chooses what to show.
    /// - Parameter after: the `next` of an earlier list.
    package static func listing(
        appID: String?, userID: String?, deviceID: String?, after: String?, limit: Int?
    ) throws(AdminMistake) -> DeviceAction {
        let filter = DeviceFilter(appID: try required("app_id", appID), userID: userID, deviceID: deviceID)
        let place = try after.map { text throws(AdminMistake) in try DeviceCursor.key(text, appID: filter.appID) }
        return .list(filter, after: place, limit: limit ?? AdminAnswer.defaultLimit)
    }

    /// Chooses what to remove: never the tokens of a whole app, which a forgotten criterion would.
    package static func removing(appID: String?, userID: String?, deviceID: String?) throws(AdminMistake) -> DeviceAction {
        let (app, user) = (try required("app_id", appID), try required("user_id", userID))
        return .remove(DeviceFilter(appID: app, userID: user, deviceID: deviceID))
    }

    /// As `AdminAction` says.
    package var change: String? {
        switch self {
        case .list: nil
        case .remove: "push_tokens.remove"
        }
    }

    /// As `AdminAction` says.
    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let after, let limit):
            // One more than is shown tells whether there are more.
            let found = try context.store.devices(filter, after: after, limit: limit + 1)
            if found.isEmpty, let mistake = try context.mistake(in: filter) { return mistake }
            let shown = found.prefix(limit)
            let next = found.count > limit ? shown.last.map { DeviceCursor.text($0.key) } : nil
            return AdminAnswer([
                "push_tokens": .array(shown.map { .object($0.json(named: context.userReference($0.key))) }),
                "next": next.map { .string($0) } ?? .null,
            ])
        case .remove(let filter):
            let count = try context.store.removeDevices(filter, now: context.now, telling: context.state.registryAudience)
            if count == 0, let mistake = try context.mistake(in: filter) { return mistake }
            return AdminAnswer(.removed(count))
        }
    }

    private static func required(_ name: String, _ text: String?) throws(AdminMistake) -> String {
        guard let text, !text.isEmpty else { throw AdminMistake(name, "missing; expected whose push tokens are meant.") }
        return text
    }
}

extension Device {
    /// It as operators see it, its token masked.
    /// - Parameter reference: the person's name in the log.
    fileprivate func json(named reference: String?) -> JSONObject {
        [
            "app_id": .string(key.appID), "user_id": .string(key.userID), "device_id": .string(key.deviceID), "type": .string(type),
            "token": .string(token.masked), "environment": environment.map { .string($0) } ?? .null,
            "registered_at": .string(RFC3339.text(registeredAt)), "seen_at": .string(RFC3339.text(seenAt)),
            "user_ref": reference.map { .string($0) } ?? .null,
        ]
    }
}
