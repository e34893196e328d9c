package import Core
internal import POSIX
package import Time

/// The file of a `RevocationCopy`.
package struct RevocationCopyFile: Sendable {
    /// Why the file cannot be read or written, with its path.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Room for more than a million revocations.
    private static let longestBytes = 1 << 28

    private let path: String
    private let store: String
    private let maximumAge: UInt64

    /// Names a file.
    /// - Parameters:
    ///   - store: names the store; the copy of another one is refused.
    ///   - maximumAge: how long ago a copy may have been confirmed, in seconds.
    package init(_ path: String, of store: String, maximumAge: UInt64) {
        (self.path, self.store, self.maximumAge) = (path, store, maximumAge)
    }

    /// Whether there is one.
    package var exists: Bool { File.exists(path) }

    /// Reads the copy.
    /// - Throws: also when others may read or change the file, or it is too old.
    package func read(now: UnixSeconds) throws(Failure) -> RevocationCopy {
        do {
            let contents = try File.read(path, limit: Self.longestBytes)
            guard contents.isPrivate else {
                throw Failure(description: "others own it, or may read or change it; run chmod 600 on it")
            }
            return try RevocationCopy(contents.bytes, of: store, now: now, maximumAge: maximumAge)
        } catch {
            throw Failure(description: "cannot use the copy \(path): \(error)")
        }
    }

    /// Replaces the copy in one step.
    /// - Parameter now: when these are the store's revocations.
    package func write(_ revocations: [Revocation], now: UnixSeconds) throws(Failure) {
        let bytes = RevocationCopy.bytes(revocations, of: store, confirmedAt: now)
        do throws(SystemError) {
            // A command that root runs leaves the file to the service.
            try File.replace(path, mode: 0o600, ownedAs: Process.isPrivileged && exists ? path : nil, bytes)
        } catch {
            throw Failure(description: "cannot write the copy \(path): \(error)")
        }
    }
}
