package import Core
internal import POSIX
package import Time

package struct RevocationCopyFile: Sendable {
    /// An error while reading or writing the file; the description includes the path.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// The command with which root can make the file usable; nil when the file itself is not the cause.
        package var command: String?
        /// Whether the cause is that the store could not be read.
        package var isOfStore = false
    }

    /// Enough for more than a million revocations.
    private static let longestBytes = 1 << 28
    /// Enough for the first line, in which the store's path may be escaped.
    private static let longestHead = 1 << 16

    private let path: String
    private let store: String
    private let maximumAge: UInt64

    /// - Parameters:
    ///   - store: the name of the store; a copy of another store is rejected.
    ///   - maximumAge: in seconds since the copy was last confirmed.
    package init(_ path: String, of store: String, maximumAge: UInt64) {
        (self.path, self.store, self.maximumAge) = (path, store, maximumAge)
    }

    /// - Throws: also when other users can read or change the file, or it is too old.
    package func read(now: UnixSeconds) throws(Failure) -> RevocationCopy {
        do {
            try checkIsCopy()
            let contents = try File.read(path, limit: Self.longestBytes)
            guard contents.isPrivate else {
                // If the file belongs to root or to this user, only its mode is wrong.
                throw (contents.owner == 0 ? nil : otherOwner)
                    ?? Failure(description: "others may read or change it; it must have mode 600", command: repair)
            }
            return try RevocationCopy(contents.bytes, of: store, now: now, maximumAge: maximumAge)
        } catch {
            throw failure("cannot use the copy", error, isLocked: FileSystem.obstacle(toReading: path) != nil)
        }
    }

    /// Replaces the copy atomically.
    /// - Parameter now: the time of these revocations.
    package func write(_ revocations: [Revocation], now: UnixSeconds) throws(Failure) {
        let bytes = RevocationCopy.bytes(revocations, of: store, confirmedAt: now)
        do {
            try checkIsCopy()
            guard bytes.count <= Self.longestBytes else { throw Failure(description: "there are too many revocations") }
            try File.replace(path, mode: 0o600, bytes)
        } catch {
            throw failure("cannot write the copy", error, isLocked: FileSystem.obstacle(toReading: path) != nil)
        }
    }

    /// Empties the copy, so that no start uses it before it is written again.
    /// - Returns: whether the file exists.
    package func invalidate() throws(Failure) -> Bool {
        guard File.exists(path) else { return false }
        do {
            try checkIsCopy()
            try File.empty(path)
            return true
        } catch {
            throw failure("cannot empty the copy", error, isLocked: !FileSystem.isWritable(path))
        }
    }

    /// The reason why the file is not a copy; nil when it is one, is missing or cannot be read.
    package var mistake: Failure? {
        do {
            try checkIsCopy()
            return nil
        } catch {
            return error as? Failure
        }
    }

    /// A clause for the error about a missing store, which reports that the copy belongs to an earlier store; nil when the file is missing
    /// or is not a copy of this store. A copy that `read` rejects as old or damaged is evidence too.
    package var evidenceOfStore: String? {
        guard File.exists(path) else { return nil }
        do {
            try checkIsCopy()
            let other = RevocationCopy.store(namedIn: try File.beginning(of: path, count: Self.longestHead))
            guard other == nil || other == store else { return nil }
        } catch is Failure {
            return nil
        } catch {}
        return "\(path), the copy of its revocations, shows that there was one"
    }

    /// - Parameter isLocked: whether access may be denied by the file itself rather than by its directory.
    private func failure(_ attempt: String, _ error: any Error, isLocked: Bool) -> Failure {
        let isForbidden = (error as? SystemError)?.isForbidden == true
        let reason = isLocked && isForbidden ? otherOwner : error as? Failure
        return Failure(description: "\(attempt) \(path): \(reason?.description ?? "\(error)")", command: reason?.command)
    }

    /// The error when the file belongs to another user; nil when it belongs to this user, is missing or cannot be examined.
    private var otherOwner: Failure? {
        guard let owner = try? FileSystem.owner(of: path), owner != Process.user else { return nil }
        return Failure(
            description: "it belongs to \(Machine.userName(owner)), not to \(Machine.userName(Process.user))", command: repair)
    }

    /// The shell command with which root gives the file to this user only.
    private var repair: String {
        let isOther = (try? FileSystem.owner(of: path)) != Process.user
        let isOpen = ((try? FileSystem.mode(of: path)) ?? 0) & 0o077 != 0
        let commands = [
            isOther ? Machine.chown(path, to: Process.user) : nil, isOpen ? "chmod 600 \(ShellWord.quoted(path))" : nil,
        ]
        return commands.compactMap(\.self).joined(separator: " && ")
    }

    /// Rejects a file that is not a copy, so that a wrong path destroys no data.
    private func checkIsCopy() throws {
        guard File.exists(path) else { return }
        let beginning = FileSystem.isFile(path) ? try File.beginning(of: path, count: RevocationCopy.beginning.count) : nil
        guard beginning == [] || beginning == RevocationCopy.beginning else {
            throw Failure(description: "it is another file; name a file of its own in store.revocations_path")
        }
    }
}
