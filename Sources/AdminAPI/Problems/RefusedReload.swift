package import Time

package struct RefusedReload: Sendable {
    /// The maximum number of kept reasons; the log has all of them.
    package static let maximumReasons = 100

    package let at: UnixMilliseconds
    /// The first reasons, as in the log.
    package let reasons: [String]
    package let count: Int
    /// The first of the keys that only a restart applies; empty when the configuration has mistakes.
    package let keys: [String]

    package init(at: UnixMilliseconds, reasons: [String], keys: [String] = []) {
        (self.at, count) = (at, reasons.count)
        (self.reasons, self.keys) = (Array(reasons.prefix(Self.maximumReasons)), Array(keys.prefix(Self.maximumReasons)))
    }
}
