internal import CMicrohttpd

/// The authorities whose client certificates are accepted: an immutable snapshot, which any thread may use.
// Unchecked: GnuTLS only reads the list, which never changes.
@safe
package final class ClientAuthorities: @unchecked Sendable, Equatable {
    private let text: String
    private let list: OpaquePointer

    /// Reads certificates; nil when GnuTLS cannot read one of them, or there is none.
    /// - Parameter text: PEM. A certificate that is not an authority's is accepted as a client's.
    package init?(_ text: String) {
        guard let list = unsafe text.withCString({ unsafe shim_authorities_load($0) }) else { return nil }
        self.text = text
        unsafe self.list = list
    }

    deinit {
        unsafe shim_authorities_free(list)
    }

    /// Whether both were read from the same text.
    package static func == (left: ClientAuthorities, right: ClientAuthorities) -> Bool { left.text == right.text }

    /// Verifies the certificate that the client of a connection has presented in its handshake. Checks signatures, so it takes 0.1 ms.
    func evaluate(_ connection: OpaquePointer) -> PeerCertificate {
        switch UInt32(bitPattern: unsafe shim_peer_certificate(connection, list)) {
        case SHIM_PEER_TRUSTED.rawValue: .trusted
        case SHIM_PEER_MISSING.rawValue: .missing
        case SHIM_PEER_EXPIRED.rawValue: .expired
        case SHIM_PEER_UNTRUSTED.rawValue: .untrusted
        default: .unknown
        }
    }
}

package enum PeerCertificate: String, Sendable {
    /// One of the authorities has issued it for clients, and it is valid.
    case trusted
    case missing
    /// It would be trusted, but it or one of its issuers has expired.
    case expired
    /// No authority has issued it, it is not valid yet, it is not for clients, or its algorithms are weak.
    case untrusted
    /// Unknown: the connection has no TLS, or memory is short.
    case unknown
}
