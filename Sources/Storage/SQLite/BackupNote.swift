package import POSIX
package import Time

/// The note beside a store's file that says when the last backup was made, for metrics.
extension StoreFile {
    private static func note(_ path: String) -> String { "\(path).backed-up" }

    /// When the last backup of a store was made; nil when none is noted.
    package static func lastBackup(_ path: String) -> UnixSeconds? {
        guard let contents = try? File.read(note(path), limit: 64) else { return nil }
        let digits = contents.bytes.prefix { $0 != UInt8(ascii: "\n") }
        return UInt64(String(decoding: digits, as: UTF8.self)).map { UnixSeconds(rawValue: $0) }
    }

    /// Notes that a backup was made, with the rights of the path's owner.
    /// - Throws: why that cannot be noted.
    package static func noteBackup(of path: String, at time: UnixSeconds) throws(SystemError) {
        try Process.asOwner(of: path) { () throws(SystemError) in
            try File.replace(note(path), mode: 0o600, Array("\(time.rawValue)\n".utf8))
        }
    }
}
