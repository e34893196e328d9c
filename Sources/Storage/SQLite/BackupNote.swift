package import POSIX
package import Time

/// A file beside a store's file with the time of the last backup, for metrics.
extension StoreFile {
    private static func note(_ path: String) -> String { "\(path).backed-up" }

    /// The time of a store's last backup; nil when none is recorded.
    package static func lastBackup(_ path: String) -> UnixSeconds? {
        guard let contents = try? File.read(note(path), limit: 64) else { return nil }
        let digits = contents.bytes.prefix { $0 != UInt8(ascii: "\n") }
        return UInt64(String(decoding: digits, as: UTF8.self)).map { UnixSeconds(rawValue: $0) }
    }

    /// Records a backup, with the permissions of the path's owner.
    /// - Throws: when it cannot be recorded.
    package static func noteBackup(of path: String, at time: UnixSeconds) throws(SystemError) {
        try Process.asOwner(of: path) { () throws(SystemError) in
            try File.replace(note(path), mode: 0o600, Array("\(time.rawValue)\n".utf8))
        }
    }
}
