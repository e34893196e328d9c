internal import Core

/// How devices register for notifications.
extension ConfigurationReader {
    /// What the help desk asks of apps: one call of a person in five minutes, and five of a device.
    private static let defaultLimits = [
        LimitRule(per: .user, max: 1, windowMilliseconds: 300_000), LimitRule(per: .device, max: 5, windowMilliseconds: 300_000),
    ]
    /// The longest window: what limits are kept by must not outlive the devices.
    private static let longestWindowSeconds = 7 * 86_400

    func pushTokens(_ object: ConfigurationObject?) -> Configuration.PushTokens {
        Configuration.PushTokens(
            limits: object.flatMap { limits($0) } ?? Self.defaultLimits,
            devicesPerUser: object?.integer("devices_per_user", 1...1000, default: 20) ?? 20,
            forgetAfterDays: object?.integer("forget_after_days", 8...3650, default: 270) ?? 270)
    }

    private func limits(_ object: ConfigurationObject) -> [LimitRule]? {
        guard let elements = object.array("limits") else { return nil }
        var rules: [LimitRule] = []
        for (value, path) in elements {
            guard let limit = ConfigurationObject(value, path: path, keys: ConfigurationKeys.pushTokenLimit, problems: problems) else {
                continue
            }
            for key in ConfigurationKeys.pushTokenLimit where limit.value(key) == nil {
                problems.add(limit.path(of: key), "missing; a limit looks like {\"per\": \"user\", \"max\": 1, \"window_seconds\": 300}")
            }
            let scope = limit.choice("per", default: LimitRule.Scope.user)
            let max = limit.integer("max", 1...(scope == .user || scope == .device ? 1000 : 1_000_000), default: 1)
            let seconds = limit.integer("window_seconds", 1...Self.longestWindowSeconds, default: 300)
            rules.append(LimitRule(per: scope, max: max, windowMilliseconds: UInt64(seconds) * 1000))
        }
        return rules
    }
}
