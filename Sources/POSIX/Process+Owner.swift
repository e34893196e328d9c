internal import CPOSIX
internal import Glibc

extension Process {
    /// Runs `body` with the rights of the user who controls a file, if root runs this process. Otherwise, and for root's own files, it changes
    /// nothing.
    ///
    /// That user may replace anything in the directory at any moment, such as a file that was just created, by a symbolic link to a file of
    /// root. A check of a path does not hold until the path is used. With the rights of that user, no call can do more than the user could.
    ///
    /// All threads of the process change their rights, so commands may use this, and a service may not. Calls may nest.
    /// - Parameters:
    ///   - path: a file, which may be missing.
    ///   - explain: makes the error that is thrown when the rights cannot be taken.
    package static func asOwner<Value, Failure: Error>(
        of path: String, orThrow explain: (SystemError) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard getuid() == 0 else { return try body() }
        let former = Rights.current
        defer { former.restore() }
        do throws(SystemError) {
            try former.exchange(forOwnerOf: path)
        } catch {
            throw explain(error)
        }
        return try body()
    }

    /// Runs `body` with the rights of the user who controls a file, as the function above does.
    package static func asOwner<Value>(
        of path: String, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        try asOwner(of: path, orThrow: { $0 }, body)
    }
}

/// The effective ids of a process whose real user is root.
private struct Rights: Equatable {
    /// The id of the user nobody and of the group nogroup. In a user namespace, files of users outside it seem to belong to nobody.
    private static let nobody: UInt32 = 65_534
    private static let mostGroups = 1024

    let user: uid_t
    private let group: gid_t
    private let groups: [gid_t]

    private init(_ user: uid_t, _ group: gid_t, _ groups: [gid_t]) {
        (self.user, self.group, self.groups) = (user, group, groups)
    }

    /// The rights that the process has now.
    static var current: Rights {
        var groups = [gid_t](repeating: 0, count: mostGroups)
        let count = unsafe getgroups(Int32(mostGroups), &groups)
        return Rights(geteuid(), getegid(), Array(groups.prefix(Int(max(0, count)))))
    }

    /// The rights of the user who decides which file a path leads to: the owner of the nearest directory above it that is not root's. If all
    /// are root's, and others may write into the directory, it is the owner of the file.
    private init(ofOwnerOf path: String) {
        guard let file = Self.controlled(path) else {
            self.init(0, getgid(), [getgid()])
            return
        }
        // A directory that was given away often keeps root's group, which the user is not a member of.
        let last = file.st_gid == 0 ? Self.nobody : file.st_gid
        let (group, groups) = Self.groups(of: file.st_uid) ?? (last, [last])
        self.init(file.st_uid, group, groups)
    }

    /// The directory or file whose owner controls a path; nil when that is root.
    private static func controlled(_ path: String) -> stat? {
        let directory = Path.directory(of: path)
        let here = (try? FileSystem.absolutePath(of: ".")) ?? "/"
        let named = Path.resolve(directory, in: here == "/" ? "" : here)
        let resolved = (try? FileSystem.absolutePath(of: directory)) ?? "/"
        for place in Path.ancestors(of: named) + Path.ancestors(of: resolved) {
            var status = stat()
            guard unsafe stat(place, &status) == 0, status.st_uid != 0 else { continue }
            if place == named || status.st_uid != nobody { return status }
        }
        var status = stat()
        guard unsafe stat(directory, &status) == 0, status.st_mode & (S_IWGRP | S_IWOTH) != 0, unsafe lstat(path, &status) == 0,
            status.st_uid != 0
        else { return nil }
        return status
    }

    /// The group of a user and all groups that it is a member of; nil when the system does not know the user.
    private static func groups(of user: uid_t) -> (group: gid_t, groups: [gid_t])? {
        var texts = [CChar](repeating: 0, count: 1 << 16)
        return unsafe texts.withUnsafeMutableBufferPointer { texts in
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = texts.baseAddress, unsafe getpwuid_r(user, &entry, start, texts.count, &found) == 0,
                unsafe found != nil
            else { return nil }
            let group = unsafe entry.pw_gid
            var (groups, count) = ([gid_t](repeating: 0, count: mostGroups), Int32(mostGroups))
            guard unsafe getgrouplist(entry.pw_name, group, &groups, &count) >= 0 else { return (group, [group]) }
            return (group, Array(groups.prefix(Int(count))))
        }
    }

    /// Gives up these rights, which the process has, for those of the user who controls a path.
    func exchange(forOwnerOf path: String) throws(SystemError) {
        // Only root sees every directory.
        guard seteuid(0) == 0 else { throw SystemError.last }
        let rights = Rights(ofOwnerOf: path)
        guard rights.user != user else {
            guard seteuid(user) == 0 else { throw SystemError.last }
            return
        }
        try rights.take()
    }

    /// Takes these rights in place of those that the process has.
    private func take() throws(SystemError) {
        // Root's rights first: only root may choose groups.
        guard seteuid(0) == 0, unsafe setgroups(groups.count, groups) == 0, setegid(group) == 0, seteuid(user) == 0 else {
            throw SystemError.last
        }
    }

    /// Takes back rights that the process had before.
    func restore() {
        guard Rights.current != self else { return }
        guard (try? take()) != nil else { preconditionFailure("the process cannot take back the rights that it had") }
    }
}
