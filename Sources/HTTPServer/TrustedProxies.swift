package import Bytes

/// The proxies whose word on a request's origin is believed. Everybody else's `X-Forwarded-For` and `Forwarded` are ignored.
package struct TrustedProxies: Sendable, Equatable {
    /// The most proxies that are followed from one to the next.
    package static let maximumHops = 32

    package let networks: [IPNetwork]
    /// Whether callers through a Unix socket are such proxies.
    package let includeUnixSocket: Bool

    package init(networks: [IPNetwork], includeUnixSocket: Bool) {
        self.networks = networks
        self.includeUnixSocket = includeUnixSocket
    }

    /// The origin of a request: the right-most forwarded address that is no proxy's, or the left-most one when all are; `peer` itself when
    /// it is no proxy, or has forwarded no address.
    ///
    /// `unknown` when a proxy does not report the address, and when the two headers name different ones: then one of them is not the
    /// proxy's own.
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
