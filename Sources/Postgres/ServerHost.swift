internal import CPostgres
internal import Glibc

struct ServerHost: Equatable, Sendable, CustomStringConvertible {
    /// The directory of the sockets of Debian's servers.
    static let defaultSocketDirectory = "/var/run/postgresql"

    /// The host's name or address, or the directory of the server's socket, which begins with a slash.
    let name: String
    /// The host's address, when the settings contain one (`hostaddr`); in that case the name is only used to verify the certificate.
    let address: String?
    /// The port, 1 to 65535.
    let port: UInt16

    /// Parses `host`, `hostaddr` and `port`; each is a list or missing.
    /// - Throws: an error that contains none of the values.
    static func list(_ options: [String: String]) throws(PostgresError) -> [ServerHost] {
        let names = items(options["host"])
        let addresses = items(options["hostaddr"])
        let ports = items(options["port"])
        let count = max(names.count, addresses.count, 1)
        guard [0, count].contains(names.count), [0, count].contains(addresses.count), [0, 1, count].contains(ports.count) else {
            throw PostgresError(.settings, "the address has different numbers of hosts, ports and hostaddr")
        }
        var hosts: [ServerHost] = []
        for index in 0..<count {
            let address = addresses.isEmpty || addresses[index].isEmpty ? nil : addresses[index]
            let name = names.isEmpty || names[index].isEmpty ? address ?? defaultSocketDirectory : names[index]
            let port = ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index]
            hosts.append(try ServerHost(name, address, port: port))
        }
        return hosts
    }

    private static func items(_ list: String?) -> [String] {
        list?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? []
    }

    private init(_ name: String, _ address: String?, port: String) throws(PostgresError) {
        let port = port.isEmpty ? 5432 : UInt16(port)
        guard let port, port > 0 else { throw AddressText.misread("a port is not a number from 1 to 65535") }
        guard name.utf8.first == UInt8(ascii: "/") || name.utf8.allSatisfy({ Self.isOfName($0) }) else {
            throw AddressText.misread("a host is neither a name nor an address")
        }
        guard address.map({ Self.isLiteral($0) }) ?? true else { throw AddressText.misread("hostaddr is not an address") }
        (self.name, self.address, self.port) = (name, address, port)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"): true
        default: byte >= 0x80
        }
    }

    var isSocket: Bool { address == nil && name.utf8.first == UInt8(ascii: "/") }

    /// Whether its traffic stays on this machine.
    var isLocal: Bool {
        let place = address ?? name
        return isSocket || place == "::1" || place.lowercased() == "localhost"
            || (Self.isIPv4(place) && place.utf8.starts(with: "127.".utf8))
    }

    /// The address when no name needs to be resolved.
    var literal: String? { address ?? (Self.isLiteral(name) ? name : nil) }

    private static func isLiteral(_ text: String) -> Bool {
        // An IPv6 address may contain its interface.
        let address = text.split(separator: "%", maxSplits: 1).first.map { String($0) } ?? ""
        var bytes = in6_addr()
        return unsafe inet_pton(AF_INET6, address, &bytes) == 1 || isIPv4(text)
    }

    private static func isIPv4(_ text: String) -> Bool {
        var bytes = in_addr()
        return unsafe inet_pton(AF_INET, text, &bytes) == 1
    }

    /// Host and port, or the socket's directory and port.
    var description: String {
        name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}
