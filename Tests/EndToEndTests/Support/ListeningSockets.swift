import HTTPServer
import POSIX
import TestSupport

/// Sockets that listen on ports of 127.0.0.1. Another program may get the same port, but never the same socket, so this shows reliably
/// whether a program has closed a port.
struct ListeningSockets {
    /// The sockets' inode numbers by port.
    private let inodes: [UInt16: String]

    /// Waits until a socket listens on each of these ports.
    init(on ports: some Collection<UInt16>) throws {
        let ports = Set(ports)
        var found: [UInt16: String] = [:]
        let areThere = eventually {
            // The file may lack a socket if others are opened or closed while it is read.
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

    /// The inode numbers of the sockets that listen on 127.0.0.1, by port (/proc/net/tcp of proc(5)).
    private static func all() throws -> [UInt16: String] {
        let text = String(decoding: try File.read("/proc/net/tcp", limit: 1 << 26).bytes, as: UTF8.self)
        var inodes: [UInt16: String] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            // The address is in hexadecimal, its bytes in host order; 0A is the state of a listening socket.
            guard words.count > 9, words[3] == "0A", words[1].hasPrefix("0100007F:"), let port = UInt16(words[1].dropFirst(9), radix: 16)
            else { continue }
            inodes[port] = String(words[9])
        }
        return inodes
    }
}
