internal import CMicrohttpd
internal import Synchronization

/// The certificate and key of a TLS server, which can be replaced while it serves.
///
/// Handshakes on the server's threads read the current pair and may use it until they end, at any later time. So replaced pairs are kept
/// until the server is released: a few KiB for each renewal.
// Unchecked: the data behind the pointers is written before it is published, never changed afterwards, and freed only when this object is
// unreachable.
@safe
final class TLSCredentials: @unchecked Sendable {
    // A linked list, the newest first; only `replace` writes it.
    private let newest: Atomic<UnsafeMutablePointer<shim_Identity>>

    /// Reads an identity.
    /// - Throws: when GnuTLS cannot use it.
    init(_ identity: TLSIdentity, for address: ListenAddress) throws(ServerError) {
        unsafe newest = Atomic(try Self.load(identity, for: address))
    }

    deinit {
        unsafe shim_identity_free(newest.load(ordering: .relaxed))
    }

    /// Uses another certificate and its key from the next handshake on. Only one thread at a time may call it.
    /// - Throws: when GnuTLS cannot use it; then nothing has changed.
    func replace(with identity: TLSIdentity, for address: ListenAddress) throws(ServerError) {
        let next = unsafe try Self.load(identity, for: address)
        unsafe next.pointee.previous = unsafe newest.load(ordering: .relaxed)
        unsafe newest.store(next, ordering: .releasing)
    }

    /// The current pair; valid for the lifetime of this object.
    var current: UnsafeMutablePointer<shim_Identity> {
        unsafe newest.load(ordering: .acquiring)
    }

    private static func load(
        _ identity: TLSIdentity, for address: ListenAddress
    ) throws(ServerError) -> UnsafeMutablePointer<shim_Identity> {
        let loaded = unsafe identity.certificate.withCString { certificate in
            unsafe identity.key.withCString { key in unsafe shim_identity_load(certificate, key) }
        }
        guard let loaded = unsafe loaded else {
            throw ServerError(
                kind: .unusableCertificate,
                description: "cannot start TLS on \(address): give a PEM certificate and the PEM private key that belongs to it")
        }
        return unsafe loaded
    }
}
