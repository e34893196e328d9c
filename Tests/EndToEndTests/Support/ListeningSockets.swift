import HTTPServer
import POSIX
import TestSupport

/// Sockets that listen on ports of 127.0.0.1. Another program may get the number of a port, but never the socket, so this tells for certain
/// whether a program has let a port go.
struct ListeningSockets {
    /// The sockets' numbers, by their ports.
    private let inodes: [UInt16: String]

    /// Waits until somebody listens on each of these ports.
    init(on ports: some Collection<UInt16>) throws {
        let ports = Set(ports)
        var found: [UInt16: String] = [:]
        let areThere = eventually {
            // A socket may be missing in what is read while others come and go.
            found = ((try? Self.all()) ?? [:]).filter { ports.contains($0.key) }
            return found.count == ports.count
        }
        guard areThere else { throw ChildProcess.Failure.missingOutput }
        inodes = found
    }

    init(at address: ListenAddress) throws {
        guard case .tcp(_, let port) = address else { throw ChildProcess.Failure.missingOutput }
        try self.init(on: [port])
    }

    /// Waits until none of them listens any more.
    func areGone() -> Bool {
        eventually {
            guard let now = try? Self.all() else { return false }
            return inodes.allSatisfy { port, inode in now[port] != inode }
        }
    }

    /// The numbers of the sockets that listen on 127.0.0.1, by their ports (/proc/net/tcp of proc(5)).
    private static func all() throws -> [UInt16: String] {
        let text = String(decoding: try File.read("/proc/net/tcp", limit: 1 << 26).bytes, as: UTF8.self)
        var inodes: [UInt16: String] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            // The address is in hexadecimal, its bytes in the machine's order; 0A is the state of a socket that listens.
            guard words.count > 9, words[3] == "0A", words[1].hasPrefix("0100007F:"), let port = UInt16(words[1].dropFirst(9), radix: 16)
            else { continue }
            inodes[port] = String(words[9])
        }
        return inodes
    }
}
