package import Configuration
package import Core
internal import HelpDesk
internal import POSIX
internal import Storage
package import Time

/// The result of replacing a store by a backup, with the revocations that were recovered from the copy.
package struct RestoredStore: Sendable {
    package let path: String
    /// The path of the replaced store; nil when there was none.
    package let former: String?
    /// The number of revocations that the backup lacked and that were recovered from the copy; nil when the copy could not be used.
    package fileprivate(set) var recovered: Int?
    /// The reason why revocations since the backup may be missing; nil when the copy was used.
    package fileprivate(set) var doubt: String?
    /// The reason why the requested sign-out of apps failed, so that their keys are still valid; nil when it did not fail.
    package fileprivate(set) var signOutFailure: String?

    fileprivate init(_ path: String, former: String?) { (self.path, self.former) = (path, former) }
}

extension Configuration.Store {
    /// The author of revocations that a restore creates.
    private static let author = "store restore"

    /// Replaces the store by a backup with `StoreFile.restore`, and adds revocations from the copy that the backup lacks. Otherwise keys
    /// that were revoked since the backup would be valid again, and blocked people could chat.
    /// - Parameters:
    ///   - devicesPerUser: the maximum number of a person's devices.
    ///   - apps: the apps whose keys issued before `bound` are revoked; ignored if `bound` is nil.
    /// - Throws: when the store was not replaced. Later failures are in the result.
    package func restore(
        _ backup: String, asItIs: Bool, devicesPerUser: Int, signingOut apps: [String], issuedBefore bound: UnixSeconds?, clocks: Clocks
    ) throws(StoreError) -> RestoredStore {
        let path = try file
        let now = clocks.unixMilliseconds()
        // Reads the copy before the restore, because a service that starts after the restore overwrites it.
        let (copied, doubt) = copiedRevocations(now: now.seconds)
        var restored = RestoredStore(path, former: try StoreFile.restore(backup, to: path, asItIs: asItIs))
        restored.doubt = doubt
        guard copied?.isEmpty == false || bound != nil else {
            restored.recovered = copied?.count
            return restored
        }
        do throws(StoreError) {
            try StoreFile.asOwner(of: path) { () throws(StoreError) in
                let store = try open(devicesPerUser: devicesPerUser)
                defer { store.close() }
                if let copied { restored.recovered = try recover(copied, in: store, now: now) }
                if let bound { try signOut(apps, issuedBefore: bound, in: store, now: now) }
            }
        } catch {
            if restored.recovered == nil { restored.doubt = doubt ?? error.description }
            if bound != nil { restored.signOutFailure = error.description }
        }
        return restored
    }

    /// Returns the revocations of the copy, or the reason why they could not be read.
    private func copiedRevocations(now: UnixSeconds) -> (revocations: [Revocation]?, doubt: String?) {
        guard let revocationCopy, let revocationsPath else { return (nil, "there is no copy of the revocations") }
        do throws(StoreError) {
            return try StoreFile.asOwner(of: revocationsPath) { () throws(StoreError) in
                do throws(RevocationCopyFile.Failure) {
                    return (try revocationCopy.read(now: now).revocations, nil)
                } catch {
                    return (nil, error.description)
                }
            }
        } catch {
            return (nil, error.description)
        }
    }

    /// Adds revocations that the store lacks. Each keeps its id.
    /// - Returns: the number of added revocations.
    private func recover(_ copied: [Revocation], in store: any Core.Store, now: UnixMilliseconds) throws(StoreError) -> Int {
        let known = Set(try store.allRevocations().map(\.id))
        let missing = copied.filter { !known.contains($0.id) }
        for revocation in missing {
            try store.revoke(
                Revocation(
                    id: revocation.id, appID: revocation.appID, subject: revocation.subject, issuedBefore: revocation.issuedBefore,
                    reason: "", author: Self.author, createdAt: now))
        }
        return missing.count
    }

    /// Revokes all keys of apps that were issued before a moment. A running service then signs out their devices.
    private func signOut(
        _ apps: [String], issuedBefore bound: UnixSeconds, in store: any Core.Store, now: UnixMilliseconds
    ) throws(StoreError) {
        var random = SystemRandomNumberGenerator()
        for app in apps {
            try store.revoke(
                Revocation(
                    id: UUIDv7(milliseconds: now, using: &random), appID: app, subject: .everyKey, issuedBefore: bound, reason: "",
                    author: Self.author, createdAt: now))
        }
    }
}
