internal import COpenSSL

/// The TLS settings of a server, shared by all its connections: its certificate, TLS 1.2 or later, and ALPN.
// Sendable, because OpenSSL counts references to a context under its own lock and nothing here changes it after its creation.
@safe package final class TLSServerContext: @unchecked Sendable {
    let raw: OpaquePointer

    /// - Parameters:
    ///   - certificate: PEM: the server's certificate, then its chain.
    ///   - key: its private key, PEM, without a passphrase.
    ///   - speaksHTTP2: whether ALPN must negotiate `h2`; otherwise it negotiates nothing.
    /// - Throws: when one of them cannot be read or they do not match.
    package init(certificate: String, key: String, speaksHTTP2: Bool = true) throws(CryptoError) {
        ErrorQueue.clear()
        guard let raw = unsafe deskgate_tls_server_context(speaksHTTP2) else { throw CryptoError(draining: .prepareTLS) }
        unsafe self.raw = raw
        let isUsable =
            unsafe PEMText.reading(certificate) { unsafe Self.use(certificates: $0, raw) } == true
            && PEMText.reading(key) { unsafe Self.use(key: $0, raw) } == true && SSL_CTX_check_private_key(raw) == 1
        guard isUsable else { throw CryptoError(draining: .prepareTLS) }
        // Reading the last certificate has left an error in the queue.
        ErrorQueue.clear()
    }

    deinit {
        unsafe SSL_CTX_free(raw)
    }

    private static func use(certificates text: OpaquePointer, _ context: OpaquePointer) -> Bool {
        guard let own = unsafe deskgate_read_certificate(text) else { return false }
        defer { unsafe X509_free(own) }
        guard unsafe SSL_CTX_use_certificate(context, own) == 1 else { return false }
        while let next = unsafe deskgate_read_certificate(text) {
            guard unsafe deskgate_tls_add_chain_certificate(context, next) == 1 else {
                unsafe X509_free(next)
                return false
            }
        }
        return true
    }

    private static func use(key text: OpaquePointer, _ context: OpaquePointer) -> Bool {
        guard let key = unsafe deskgate_read_private_key(text) else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe SSL_CTX_use_PrivateKey(context, key) == 1
    }
}

/// The server side of TLS on one connected socket, which usually does not block. Only one thread may use it.
///
/// The caller owns the socket, and must close it after releasing this object. Writing to a closed connection raises SIGPIPE, which the
/// thread must block.
@safe package final class TLSServerSession {
    package enum Progress: Equatable, Sendable {
        /// Bytes read or written; 0 for the handshake.
        case done(Int)
        /// Call again when the socket is readable.
        case wantsReading
        /// Call again when the socket is writable.
        case wantsWriting
        case closed
        case failed
    }

    private let raw: OpaquePointer

    /// Prepares the connection; `handshake` begins the handshake.
    package init(_ context: TLSServerContext, descriptor: Int32) throws(CryptoError) {
        ErrorQueue.clear()
        guard let raw = unsafe SSL_new(context.raw) else { throw CryptoError(draining: .prepareTLS) }
        unsafe self.raw = raw
        guard unsafe SSL_set_fd(raw, descriptor) == 1 else { throw CryptoError(draining: .prepareTLS) }
        unsafe SSL_set_accept_state(raw)
    }

    deinit {
        unsafe SSL_free(raw)
    }

    /// Valid after the handshake.
    package var speaksHTTP2: Bool {
        var chosen: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(raw, &chosen, &count)
        return unsafe UnsafeBufferPointer(start: chosen, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Whether the client has resumed an earlier session; valid after the handshake.
    package var isResumed: Bool { unsafe SSL_session_reused(raw) == 1 }

    /// Continues the handshake until it is done or has to wait.
    package func handshake() -> Progress {
        ErrorQueue.clear()
        let result = unsafe SSL_do_handshake(raw)
        return result == 1 ? .done(0) : progress(result)
    }

    /// Reads received bytes, at most one record of 16 KiB per call.
    package func read(into bytes: inout MutableSpan<UInt8>) -> Progress {
        ErrorQueue.clear()
        let result = unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe SSL_read(raw, $0.baseAddress, Int32(clamping: $0.count))
        }
        return result > 0 ? .done(Int(result)) : progress(result)
    }

    /// Writes a part of `bytes`, which must not be empty.
    package func write(_ bytes: Span<UInt8>) -> Progress {
        ErrorQueue.clear()
        let result = unsafe bytes.withUnsafeBufferPointer { unsafe SSL_write(raw, $0.baseAddress, Int32(clamping: $0.count)) }
        return result > 0 ? .done(Int(result)) : progress(result)
    }

    /// Sends close_notify (RFC 8446 section 6.1), if the socket accepts it at once.
    package func sendCloseNotify() {
        ErrorQueue.clear()
        _ = unsafe SSL_shutdown(raw)
        ErrorQueue.clear()
    }

    private func progress(_ result: Int32) -> Progress {
        defer { ErrorQueue.clear() }
        return switch unsafe SSL_get_error(raw, result) {
        case SSL_ERROR_WANT_READ: .wantsReading
        case SSL_ERROR_WANT_WRITE: .wantsWriting
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed
        }
    }
}

/// The input of a TLS session that another library controls.
package enum TLSInput {
    /// Whether bytes were read from the socket that the library has not taken yet.
    /// - Parameter session: an `SSL *` in use by this thread.
    package static func isPending(in session: UnsafeMutableRawPointer) -> Bool {
        unsafe SSL_has_pending(OpaquePointer(session)) == 1
    }
}
