import Core
import Testing
import Time

extension Registration {
    /// A request of a device. The parameters without an argument are equal in all requests.
    static func of(
        _ token: String?, app: String = "app", user: String = "user", device: String = "d1", type: String = "ios",
        at now: UnixMilliseconds = 1000,
        _ rules: LimitRule...
    ) throws -> Registration {
        try of(token, app: app, user: user, device: device, type: type, at: now, rules: rules)
    }

    static func of(
        _ token: String?, app: String = "app", user: String = "user", device: String = "d1", type: String = "ios",
        at now: UnixMilliseconds = 1000,
        rules: [LimitRule]
    ) throws -> Registration {
        Registration(
            key: Device.Key(appID: app, userID: user, deviceID: device), type: type, token: try token.map { try PushToken($0) }, now: now,
            rules: rules)
    }
}

extension Store {
    /// Registers a device without limits, or signs it out.
    @discardableResult
    func put(
        _ token: String?, app: String = "app", user: String = "user", device: String = "d1", type: String = "ios",
        at now: UnixMilliseconds = 1000
    ) throws -> Registration.Outcome {
        try payload(.of(token, app: app, user: user, device: device, type: type, at: now))
    }

    /// The registered devices of an app, each as its person, id and token.
    func registered(app: String = "app") throws -> [String] {
        try devices(DeviceFilter(appID: app), after: nil, limit: 1_000_000)
            .map { "\($0.key.userID) \($0.key.deviceID) \($0.token.text)" }
    }

    func device(_ id: String = "d1", app: String = "app", user: String = "user") throws -> Device? {
        try devices(DeviceFilter(appID: app, userID: user, deviceID: id), after: nil, limit: 2).first
    }

    /// The announced changes of the registry, in order; see `announcement`.
    func announced() throws -> [String] {
        try all().reversed().filter { $0.event.kind != .commentCreated }.map { announcement($0.event) ?? "gone" }
    }

    /// The deliveries of comments, oldest first.
    func comments() throws -> [Delivery] {
        try all().reversed().filter { $0.event.kind == .commentCreated }
    }
}

extension LimitRule {
    static func fiveMinutes(_ scope: Scope, _ max: Int = 1) -> LimitRule {
        LimitRule(per: scope, max: max, windowMilliseconds: 300_000)
    }
}
