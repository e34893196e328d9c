package import Bytes
package import HTTPClient
internal import Time

/// The limits of fetching pages. Only tests change them.
package struct PreviewRules: Sendable {
    /// The ports that may be connected to.
    package var ports: Set<UInt16> = [80, 443]
    package var admits: @Sendable (IPAddress) -> Bool = { SpecialAddress($0) == nil }
    /// The time for all of it, from the first name to the last byte.
    package var milliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The time for a connection, when there is another address to try.
    package var connectMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    package var addressesTried = 3
    package var redirects = 3
    /// The maximum number of a page's bytes that are read, unpacked.
    package var pageBytes = 1 << 20

    package init() {}

    /// Returns why a URL may not be fetched or shown, as far as it is known without resolving its host.
    package func problem(of url: WebURL) -> PreviewRefusal? {
        guard ports.contains(url.port) else { return .notAllowed }
        guard let address = IPAddress(url.host) else { return nil }
        return admits(address) ? nil : .notPublic
    }
}
