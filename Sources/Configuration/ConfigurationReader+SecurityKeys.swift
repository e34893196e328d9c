internal import Core
internal import JSON
internal import Time

extension ConfigurationReader {
    static let longestTime = Int(SecurityKey.latestTime.rawValue)

    func securityKeys(_ object: ConfigurationObject) -> (policy: KeyPolicy, defaultLifetime: UInt64) {
        var policy = KeyPolicy()
        policy.clockSkewSeconds = UInt64(object.integer("clock_skew_seconds"))
        policy.maximumLifetimeSeconds = maximumLifetime(object)
        return (policy, defaultLifetime(object, otherwise: KeyLifetime.standardSeconds, longest: policy.maximumLifetimeSeconds))
    }

    /// Parses the limits of an app's keys.
    /// - Parameter common: the limits of all apps, which an app can only narrow.
    func keyLifetime(_ app: ConfigurationObject, within common: (longest: UInt64?, standard: UInt64)) -> KeyLifetime {
        guard let object = app.object("security_keys", keys: Self.keyLifetimeKeys) else { return KeyLifetime() }
        let own = maximumLifetime(object)
        if let own, let longest = common.longest, own > longest {
            problems.add(
                object.path(of: "longest_life_seconds"),
                "expected at most \(longest), which is $.security_keys.longest_life_seconds; older keys of every app are denied")
        }
        return KeyLifetime(
            maximumSeconds: own, defaultSeconds: defaultLifetime(object, otherwise: common.standard, longest: own ?? common.longest))
    }

    private func maximumLifetime(_ object: ConfigurationObject) -> UInt64? {
        object.optionalInteger("longest_life_seconds").map { UInt64($0) }
    }

    /// Parses the default lifetime of a key; when missing it is `otherwise`, or the maximum lifetime if that is shorter.
    private func defaultLifetime(_ object: ConfigurationObject, otherwise: UInt64, longest: UInt64?) -> UInt64 {
        // 0 means no expiry, so it is longer than any limit.
        let fallback = longest.map { otherwise == 0 ? $0 : min(otherwise, $0) } ?? otherwise
        let life = UInt64(object.integer("default_life_seconds", default: Int(fallback)))
        if let longest, life == 0 || life > longest {
            problems.add(
                object.path(of: "default_life_seconds"),
                "expected from 1 to \(longest), which is \"longest_life_seconds\"; 0 would be for ever")
        }
        return life
    }
}
