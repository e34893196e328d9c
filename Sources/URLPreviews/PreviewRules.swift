package import Bytes
package import HTTPClient
internal import Time

/// The limits of fetching. Only tests change the defaults.
package struct PreviewRules: Sendable {
    package var ports: Set<UInt16> = [80, 443]
    package var admits: @Sendable (IPAddress) -> Bool = { SpecialAddress($0) == nil }
    /// The time for the whole fetch, from resolving the first name to the last byte.
    package var milliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The time for a connection, when there is another address to try.
    package var connectMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    package var addressesTried = 3
    package var redirects = 3
    /// The most bytes of a page that are read, decompressed.
    package var pageBytes = 1 << 20

    package init() {}

    /// Returns the reason why a URL may not be fetched or shown, without resolving its host.
    package func problem(of url: WebURL) -> PreviewRefusal? {
        guard ports.contains(url.port) else { return .notAllowed }
        guard let address = IPAddress(url.host) else { return nil }
        return admits(address) ? nil : .notPublic
    }
}
