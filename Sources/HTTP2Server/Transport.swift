internal import CNghttp2
internal import Crypto
internal import Glibc

/// The byte stream of one connection, with or without TLS. The socket is non-blocking.
final class Transport {
    private let descriptor: Int32
    private let tls: TLSServerSession?

    /// Takes ownership of the descriptor, which `close` closes.
    init(_ descriptor: Int32, _ context: TLSServerContext?) throws(CryptoError) {
        self.descriptor = descriptor
        if let context {
            tls = try TLSServerSession(context, descriptor: descriptor)
        } else {
            tls = nil
        }
    }

    /// Continues the handshake. Without TLS, it completes immediately. It fails when the client does not negotiate HTTP/2.
    func handshake() -> TLSServerSession.Progress {
        guard let tls else { return .done(0) }
        let progress = tls.handshake()
        return progress == .done(0) && !tls.speaksHTTP2 ? .failed : progress
    }

    /// Reads into the front of `bytes`.
    func read(into bytes: inout MutableSpan<UInt8>) -> TLSServerSession.Progress {
        if let tls { return tls.read(into: &bytes) }
        let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .done(count) }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EINTR ? .wantsReading : .failed
    }

    /// Writes a part of `bytes`.
    func write(_ bytes: Span<UInt8>) -> TLSServerSession.Progress {
        if let tls { return tls.write(bytes) }
        let count = unsafe bytes.withUnsafeBufferPointer { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR ? .wantsWriting : .failed
    }

    /// Closes the connection normally. Shuts it down first, because a child process that is being started may have a copy of the
    /// descriptor.
    func close() {
        tls?.sendCloseNotify()
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    /// Resets the connection even if a child process has a copy of the descriptor: on Linux, connect(2) with AF_UNSPEC does this.
    func reset() {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        unsafe connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
        Glibc.close(descriptor)
    }
}
