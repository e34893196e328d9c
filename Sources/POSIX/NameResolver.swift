package import Bytes
internal import CPOSIX
internal import Glibc
package import Threading

/// Resolves names of hosts by the system's configuration (nsswitch.conf(5), resolv.conf(5)), within a time.
///
/// getaddrinfo(3) can neither be cancelled nor given a timeout, so each name has a thread of its own, which is abandoned after the time.
/// Any thread may call it; it blocks.
package final class NameResolver: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// The name has none, or the name servers do not answer.
        case unknown
        case timeout
        /// The maximum number of names is being resolved, for this person or others, including those that were abandoned, or the resolver
        /// is closed.
        case overloaded
    }

    /// A name server on IPv4.
    package struct Server: Sendable {
        let address: UInt32
        let port: UInt16

        /// - Parameter address: in the host's byte order, as `0x7F00_0001` for 127.0.0.1.
        package init(address: UInt32, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    private struct State {
        var running = FairQueue<Void>(bounds)
        var isClosed = false
    }

    /// The result of one thread; nil until then.
    private typealias Finding = Monitor<Result<[IPAddress], Failure>?>

    /// The maximum number of names resolved at a time: in total, for one app, and for one person. Name servers that hang take up to 30
    /// seconds (three servers, two attempts, five seconds each; resolv.conf(5)), and no single person may take all slots meanwhile.
    private static let bounds = [ShareBound(64), ShareBound(32), ShareBound(8)]

    private let server: Server?
    private let state = Monitor(State())

    /// Makes a resolver.
    /// - Parameter server: the only name server that is asked; nil for the system's.
    package init(server: Server? = nil) {
        self.server = server
    }

    /// All addresses of a host, IPv4 and IPv6, those first that the system prefers (RFC 6724).
    /// - Parameters:
    ///   - name: a name without control characters. It is complete: no search domain is added to it.
    ///   - person: an app, and a person of it, who have shares of the names.
    package func addresses(
        of name: String, for person: ShareOwner, timeoutMilliseconds: UInt64
    ) throws(Failure) -> [IPAddress] {
        let isFree = state.withLock { state in
            guard !state.isClosed else { return false }
            return state.running.begin(person)
        }
        guard isFree else { throw .overloaded }
        let finding = Finding(nil)
        do throws(ThreadError) {
            let thread = try DedicatedThread { [self] in
                let found = Result { () throws(Failure) in try Self.resolve(name, server) }
                state.withLock { $0.running.finish(person) }
                finding.update { $0 = found }
            }
            thread.detach()
        } catch {
            state.withLock { $0.running.finish(person) }
            throw .overloaded
        }
        guard let found = finding.wait(timeoutMilliseconds: timeoutMilliseconds, { $0 }) else { throw .timeout }
        return try found.get()
    }

    /// Refuses further names. Those that are being resolved end by themselves.
    package func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Blocks for as long as the name servers take.
    private static func resolve(_ name: String, _ server: Server?) throws(Failure) -> [IPAddress] {
        if let server, shim_res_use_server(server.address, server.port) == 0 { throw .overloaded }
        // With a dot at its end a name is complete (resolver(3)).
        let name = name.utf8.last == UInt8(ascii: ".") ? name : name + "."
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &list) == 0 else { throw .unknown }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            if let address = unsafe IPAddress(socketAddress: bytes), !addresses.contains(address) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw .unknown }
        return addresses
    }
}
