package import Bytes
internal import CPOSIX
internal import Glibc
package import Threading

/// Resolves host names by the system's configuration (nsswitch.conf(5), resolv.conf(5)) within a timeout.
///
/// getaddrinfo(3) can neither be cancelled nor limited in time, so each name has a thread of its own, which is abandoned after the timeout.
/// Any thread may call it; it blocks.
package final class NameResolver: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// The name has no address, or the name servers do not respond.
        case unknown
        case timeout
        /// The limit of names being resolved is reached, for this person or others, including abandoned ones; or the resolver is closed.
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

    /// The number of names resolved at the same time: in total, for one app, and for one person. Hanging name servers take up to 30 seconds
    /// (three servers, two attempts, five seconds each; resolv.conf(5)), during which no person may use all places.
    private static let bounds = [ShareBound(64), ShareBound(32), ShareBound(8)]

    private let server: Server?
    private let state = Monitor(State())

    /// - Parameter server: the only name server that is queried; nil: the system's.
    package init(server: Server? = nil) {
        self.server = server
    }

    /// Returns all addresses of a host, IPv4 and IPv6, in the system's order of preference (RFC 6724).
    /// - Parameters:
    ///   - name: a complete name without control characters; no search domain is added.
    ///   - person: an app, and a person of it, whose shares limit the call.
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

    /// Rejects further names. Running resolutions end by themselves.
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
