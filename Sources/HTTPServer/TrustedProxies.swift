package import Bytes

/// The proxies whose headers about a request's origin are trusted. `X-Forwarded-For` and `Forwarded` from any other sender are ignored.
package struct TrustedProxies: Sendable, Equatable {
    /// The maximum length of a chain of proxies that is followed.
    package static let maximumHops = 32

    package let networks: [IPNetwork]
    /// Whether callers through a Unix socket are trusted proxies.
    package let includeUnixSocket: Bool

    package init(networks: [IPNetwork], includeUnixSocket: Bool) {
        self.networks = networks
        self.includeUnixSocket = includeUnixSocket
    }

    /// Returns the origin of a request: the rightmost forwarded address that is not a trusted proxy's, or the leftmost address when all
    /// are. Returns `peer` when it is not a trusted proxy, or has forwarded no address.
    ///
    /// Returns `unknown` when a proxy does not report the address, or when the two headers contain different addresses, because then one of
    /// them does not come from the proxy.
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwardedFor: the values of all `X-Forwarded-For` lines, in order.
    ///   - forwarded: the values of all `Forwarded` lines, in order.
    package func client(of peer: PeerHost, forwardedFor: [[UInt8]], forwarded: [[UInt8]]) -> PeerHost {
        guard includes(peer) else { return peer }
        let chains = [ForwardedChain.forwardedFor(forwardedFor), ForwardedChain.forwarded(forwarded)].filter { !$0.isEmpty }
        let clients = chains.map(client)
        guard let first = clients.first else { return peer }
        return clients.allSatisfy { $0 == first } ? first.map { .address($0) } ?? .unknown : .unknown
    }

    private func client(_ hops: [IPAddress?]) -> IPAddress? {
        var client: IPAddress?
        for hop in hops.suffix(Self.maximumHops).reversed() {
            client = hop
            guard let hop, includes(hop) else { return client }
        }
        return hops.count <= Self.maximumHops ? client : nil
    }

    private func includes(_ peer: PeerHost) -> Bool {
        switch peer {
        case .address(let address): includes(address)
        case .unixSocket: includeUnixSocket
        case .unknown: false
        }
    }

    private func includes(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}
