internal import CCurl
internal import Glibc

/// The sockets of one client's connections, which libcurl opens and closes through here.
///
/// Belongs to the client's thread. libcurl keeps a pointer to it, so it must outlive the multi handle.
final class OpenSockets {
    private var descriptors: Set<Int32> = []
    // Those of them that have carried a response.
    private var proven: Set<Int32> = []
    private var isClosed = false

    /// Refuses further sockets, which libcurl takes for a host that cannot be reached.
    func openNoMore() {
        isClosed = true
    }

    /// Opens a socket that programs started by this process do not inherit, which libcurl leaves out.
    /// - Returns: its descriptor; negative when there is none.
    func open(family: Int32, type: Int32, protocol: Int32) -> Int32 {
        guard !isClosed else { return -1 }
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), `protocol`)
        if descriptor >= 0 { descriptors.insert(descriptor) }
        return descriptor
    }

    /// Closes a socket that was opened here.
    /// - Returns: 0 on success.
    func close(_ descriptor: Int32) -> Int32 {
        descriptors.remove(descriptor)
        proven.remove(descriptor)
        return Glibc.close(descriptor)
    }

    /// A response has come over it, and with it how many streams the other side takes. One that has been closed since is left alone, because
    /// its number may be another's.
    func prove(_ descriptor: Int32) {
        if descriptors.contains(descriptor) { proven.insert(descriptor) }
    }

    /// Has the system gather what `body` writes to sockets that are proven, and send it afterwards in as few packets as it fits into
    /// (tcp(7), TCP_CORK).
    ///
    /// libcurl writes each frame of HTTP/2 by itself, and sending a packet costs more than the encryption of what is in it. A new connection
    /// is left alone: held back, the end of its handshake would reach the other side together with more requests than that may take.
    func gathering(_ body: () -> Void) {
        setCork(1)
        body()
        setCork(0)
    }

    private func setCork(_ value: Int32) {
        var value = value
        for descriptor in proven {
            // Fails with a socket that is not TCP or is broken, which is not news for here.
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
