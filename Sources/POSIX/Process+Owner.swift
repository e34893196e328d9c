internal import CPOSIX
internal import Glibc
internal import Threading

extension Process {
    /// Runs `body` with the permissions of a path's owner, if root runs this process. Otherwise, and for root's own paths, the permissions
    /// stay.
    ///
    /// The owner may at any moment replace anything in the directory, such as a new file, by a symbolic link to a file of root, so a check
    /// of a path becomes invalid before the path is used. With the owner's permissions, no call can do more than the owner could.
    ///
    /// All threads of the process change their user, so commands may use this, but a service must not. Calls may nest, but must not wait
    /// for other threads that call this, because those wait for the outer call. A nested call for the same owner changes nothing.
    /// - Parameters:
    ///   - path: a file, which may be missing; for its owner see `PathOwner`.
    ///   - explain: creates the error that is thrown when the path has no owner, or the process cannot take the owner's permissions.
    package static func asOwner<Value, Failure: Error>(
        of path: String, orThrow explain: (SystemError) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard isRunByRoot else { return try body() }
        Turn.begin()
        defer { Turn.end() }
        guard !PathOwner.isInForce(for: path) else { return try body() }
        let former: Rights
        do throws(SystemError) {
            former = try Rights.exchange(forOwnerOf: path)
        } catch {
            throw explain(error)
        }
        defer { former.restore() }
        return try body()
    }

    package static func asOwner<Value>(
        of path: String, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        try asOwner(of: path, orThrow: { $0 }, body)
    }
}

extension Process {
    /// Returns the message for a path whose owner's rights cannot be taken.
    /// - Parameter error: from `asOwner` or `FileSystem.otherOwner`.
    package static func cannotActAsOwner(of path: String, _ error: SystemError) -> String {
        "cannot take the rights of the owner of \(path): \(error)"
    }

    /// Returns the remedy for a file that this user may not write: the command that gives it to the user of the current permissions.
    package static func remedy(ofUnwritable file: String) -> String {
        rightsInForce == nil ? "chown it to the user that serves" : "run \(Machine.chown(file, to: user))"
    }

    /// The user of the current permissions, and the remedy if they do not suffice, as the end of an error's sentence; nil for the
    /// permissions at the start of the process.
    package static var rightsInForce: String? {
        Rights.place.withLock(\.self).map {
            "with the rights of \(Machine.userName(user)), who owns \($0): give that user the directory and its files (chown), or keep "
                + "everything in a directory that is root's, as are all above it"
        }
    }
}

/// Lets one thread at a time exchange rights. Otherwise the end of a call would give root's rights to a call of another thread.
private enum Turn {
    private static let holder = Monitor<(thread: pthread_t, calls: Int)?>(nil)

    static func begin() {
        let thread = pthread_self()
        _ = holder.wait { holder -> Bool? in
            guard (holder?.thread ?? thread) == thread else { return nil }
            holder = (thread, (holder?.calls ?? 0) + 1)
            return true
        }
    }

    static func end() {
        holder.update { holder in holder = holder.flatMap { $0.calls > 1 ? ($0.thread, $0.calls - 1) : nil } }
    }
}

/// The effective ids of a process whose real user is root.
private struct Rights: Equatable {
    private static let maximumGroups = 1024
    /// The directory or file whose owner's permissions are in force; nil for the permissions at the start of the process.
    static let place = Monitor<String?>(nil)

    private let user: uid_t
    private let group: gid_t
    private let groups: [gid_t]
    private let place: String?

    private init(_ user: uid_t, group: gid_t, groups: [gid_t], place: String?) {
        (self.user, self.group, self.groups, self.place) = (user, group, groups, place)
    }

    private static var current: Rights {
        get throws(SystemError) {
            var groups = [gid_t](repeating: 0, count: maximumGroups)
            let count = unsafe getgroups(Int32(maximumGroups), &groups)
            guard count >= 0 else { throw SystemError.last }
            return Rights(geteuid(), group: getegid(), groups: Array(groups.prefix(Int(count))), place: place.withLock(\.self))
        }
    }

    private init(of owner: PathOwner) {
        guard owner.user != 0 else {
            self.init(0, group: getgid(), groups: [getgid()], place: nil)
            return
        }
        let last = PathOwner.groupOfUnknownUser(owner.group)
        let (group, groups) = Self.groups(of: owner.user) ?? (last, [last])
        self.init(owner.user, group: group, groups: groups, place: owner.place)
    }

    /// Returns the group of a user and all groups that it is a member of; nil when the system does not know the user.
    private static func groups(of user: uid_t) -> (group: gid_t, groups: [gid_t])? {
        var texts = [CChar](repeating: 0, count: 1 << 16)
        return unsafe texts.withUnsafeMutableBufferPointer { texts in
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = texts.baseAddress, unsafe getpwuid_r(user, &entry, start, texts.count, &found) == 0,
                unsafe found != nil
            else { return nil }
            let group = unsafe entry.pw_gid
            var (groups, count) = ([gid_t](repeating: 0, count: maximumGroups), Int32(maximumGroups))
            guard unsafe getgrouplist(entry.pw_name, group, &groups, &count) >= 0 else { return (group, [group]) }
            return (group, Array(groups.prefix(Int(count))))
        }
    }

    /// Switches the process to the permissions of a path's owner. Returns the former ones, to be restored.
    static func exchange(forOwnerOf path: String) throws(SystemError) -> Rights {
        let former = try current
        do throws(SystemError) {
            // Only root sees every directory.
            guard seteuid(0) == 0 else { throw SystemError.last }
            try Rights(of: try PathOwner(of: path)).take()
        } catch {
            former.restore()
            throw error
        }
        return former
    }

    private func take() throws(SystemError) {
        // Root's rights first: only root may choose groups.
        guard seteuid(0) == 0, unsafe setgroups(groups.count, groups) == 0, setegid(group) == 0, seteuid(user) == 0 else {
            throw SystemError(code: errno) { "\($0); run the command as \(Machine.userName(user))" }
        }
        Self.place.withLock { $0 = place }
    }

    func restore() {
        guard (try? Rights.current) != self else { return }
        guard (try? take()) != nil else { preconditionFailure("the process cannot take back the rights that it had") }
    }
}
