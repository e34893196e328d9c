internal import CPOSIX
internal import Glibc

package enum Machine {
    /// Whether the kernel's clock is synchronized (adjtimex(2)); nil: unknown.
    package static var isClockSynchronised: Bool? {
        let answer = shim_adjtimex_is_synchronised()
        return answer < 0 ? nil : answer == 1
    }

    /// Whether files at a path are in memory, and lost when the machine stops (statfs(2)).
    package static func isInMemory(_ path: String) -> Bool { unsafe shim_statfs_is_memory(path) == 1 }

    /// Returns the reason why a host name has no address (getaddrinfo(3)); nil when it has one. Blocks as long as the resolver takes.
    package static func problem(resolving host: String) -> String? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return unsafe String(cString: gai_strerror(code)) }
        unsafe freeaddrinfo(list)
        return nil
    }

    /// Returns a name for messages: `user ID` when the system has none.
    package static func userName(_ id: UInt32) -> String { userName(id, known: knownUserName(id)) }

    /// - Parameter name: the system's name; nil: none.
    static func userName(_ id: UInt32, known name: String?) -> String {
        // A file that "belongs to nobody" would seem to have no owner.
        name.map { $0 == "nobody" ? "the user \($0)" : $0 } ?? "user \(id)"
    }

    /// Returns nil when the system has no name (getpwuid_r(3)).
    package static func knownUserName(_ id: UInt32) -> String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 16_384)
        return unsafe texts.withUnsafeMutableBufferPointer { texts in
            guard let start = texts.baseAddress, unsafe getpwuid_r(id, &entry, start, texts.count, &found) == 0, unsafe found != nil,
                let name = unsafe entry.pw_name
            else { return nil }
            return unsafe String(cString: name)
        }
    }

    /// Returns the command that gives a file or directory to a user, and to the user's group if the system knows it.
    /// - Parameter isWhole: includes the contents of a directory.
    package static func chown(_ path: String, to user: UInt32, isWhole: Bool = false) -> String {
        "chown \(isWhole ? "-R " : "")\(knownUserName(user).map { "\($0):" } ?? "\(user)") \(ShellWord.quoted(path))"
    }

    /// The user id of files whose owners have no id in this user namespace (user_namespaces(7)); nil when all owners have one.
    package static var unmappedUser: UInt32? {
        let map = try? File.read("/proc/self/uid_map", limit: 4096)
        let isWhole = map.map {
            String(decoding: $0.bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
        }
        if isWhole == true { return nil }
        let contents = try? File.read("/proc/sys/kernel/overflowuid", limit: 64)
        let number = contents.flatMap { UInt32(String(decoding: $0.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) }
        // The kernel's default, where /proc is not mounted.
        return number ?? 65_534
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
