/// A provider's clock, as the Date header of its answers tells it (RFC 9110 section 6.6.1).
package enum ProviderClock {
    /// How far two clocks may differ before a refused token is put down to it, in seconds.
    package static let toleranceSeconds: Int64 = 300

    private static let longestText = 64

    /// The time that a Date header tells, in seconds since 1970; nil when there is none, or it is malformed.
    /// - Parameter nowMilliseconds: our own time, in Unix milliseconds, for years of two digits.
    package static func unixSeconds(ofDate header: String?, nowMilliseconds: UInt64) -> Int64? {
        guard let header, header.utf8.count <= longestText else { return nil }
        return HTTPDate.unixSeconds(of: Array(header.utf8), nowMilliseconds: nowMilliseconds).map(Int64.init)
    }

    /// How far the provider's clock is ahead of ours, when that is further than is tolerated.
    static func skew(providerUnixSeconds: Int64?, unixSeconds: Int64) -> Int64? {
        guard let providerUnixSeconds else { return nil }
        let difference = providerUnixSeconds - unixSeconds
        return abs(difference) > toleranceSeconds ? difference : nil
    }
}
