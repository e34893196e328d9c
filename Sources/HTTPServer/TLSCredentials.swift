internal import CMicrohttpd
internal import Synchronization

/// The certificate and key that a server shows of itself, which can be replaced while it serves.
///
/// Handshakes of the server's threads read what is current, and may use it until they end, however long that takes. So what was replaced stays
/// until the server is gone: a few KiB for each renewal.
// Unchecked: what the pointers lead to is written before it is published and never afterwards, and freed when nobody can reach this object.
@safe
final class TLSCredentials: @unchecked Sendable {
    // A list, the newest first; written by `replace` alone.
    private let newest: Atomic<UnsafeMutablePointer<shim_Identity>>

    /// Reads an identity.
    /// - Throws: when GnuTLS cannot use it.
    init(_ identity: TLSIdentity, for address: ListenAddress) throws(ServerError) {
        unsafe newest = Atomic(try Self.load(identity, for: address))
    }

    deinit {
        unsafe shim_identity_free(newest.load(ordering: .relaxed))
    }

    /// Shows another identity from the next handshake on. Called by one thread at a time.
    /// - Throws: when GnuTLS cannot use it; then nothing has changed.
    func replace(with identity: TLSIdentity, for address: ListenAddress) throws(ServerError) {
        let next = unsafe try Self.load(identity, for: address)
        unsafe next.pointee.previous = unsafe newest.load(ordering: .relaxed)
        unsafe newest.store(next, ordering: .releasing)
    }

    /// Lends what is shown now; good for as long as this object lives.
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
