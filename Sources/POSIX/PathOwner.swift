internal import CPOSIX
internal import Glibc

/// The user who controls a path: the owner of the first directory or symbolic link on it, from `/` on, that root does not own. Up to there
/// only root can change where the path leads.
///
/// The links are followed here, because a system call that follows them would not show their owners. If a second user could change where
/// the path leads, there is no owner, but an error.
struct PathOwner {
    /// The id of the user nobody and of the group nogroup.
    static let nobody: UInt32 = 65_534
    /// The system's limit (path_resolution(7)).
    private static let maximumLinks = 40

    private(set) var user: uid_t = 0
    private(set) var group: gid_t = 0
    /// The directory, link or file that gave the owner; nil: only root controls the path.
    private(set) var place: String?

    /// Whether the process already has the rights of the path's owner.
    static func isInForce(for path: String) -> Bool { (try? PathOwner(of: path))?.user == geteuid() }

    /// Finds the owner of a path to a file, which may be missing.
    /// - Throws: when there is none; the error contains the reason and the remedy.
    init(of path: String) throws(SystemError) {
        let here = path.utf8.first == UInt8(ascii: "/") ? "/" : try FileSystem.absolutePath(of: ".")
        // The rest of the way, its next name last.
        var names = Array(Self.names(Path.resolve(path, in: here)).reversed())
        var (directory, links) = ("/", 0)
        if let root = try Self.status(directory) { try note(directory, root, following: names.count) }
        while let name = names.popLast() {
            guard name != ".." else {
                directory = Path.directory(of: directory)
                continue
            }
            let next = Path.resolve(name, in: directory == "/" ? "" : directory)
            let status = try Self.status(next)
            try checkWriters(of: directory, at: next, status, following: names.count)
            guard let status else { return }
            try note(next, status, following: names.count)
            guard status.st_mode & S_IFMT == S_IFLNK else {
                directory = next
                continue
            }
            links += 1
            guard links <= Self.maximumLinks else { throw SystemError(code: ELOOP) }
            // A target with invalid UTF-8 was repaired, and would lead elsewhere.
            guard let target = FileSystem.linkTarget(of: next), !target.unicodeScalars.contains("\u{FFFD}") else {
                throw SystemError(code: EILSEQ)
            }
            if target.utf8.first == UInt8(ascii: "/") { directory = "/" }
            names += Self.names(target).reversed()
        }
    }

    /// Evaluates a directory or link on the path.
    /// - Parameter count: names that follow it.
    private mutating func note(_ path: String, _ status: stat, following count: Int) throws(SystemError) {
        guard [S_IFDIR, S_IFLNK].contains(status.st_mode & S_IFMT), status.st_uid != 0 else { return }
        if status.st_uid == Machine.unmappedUser, count > 1 { return }
        guard let place else { return become(status, path) }
        guard status.st_uid == user else {
            throw SystemError(code: EPERM) { _ in
                "\(path) belongs to \(Machine.userName(status.st_uid)), but \(place) on the way to it to \(Machine.userName(user)): give "
                    + "both to one user (chown), or use a directory of that user in one that is root's, as are all above it"
            }
        }
    }

    /// Checks for other writers of root's directory. They may replace files of their own and, without the sticky bit, all files.
    /// - Parameters:
    ///   - path: the next place on the path, in the directory.
    ///   - status: nil: nothing is there.
    ///   - count: names that follow it.
    private mutating func checkWriters(
        of directory: String, at path: String, _ status: stat?, following count: Int
    ) throws(SystemError) {
        guard place == nil, let mode = try Self.status(directory)?.st_mode, mode & (S_IWGRP | S_IWOTH) != 0 else { return }
        if let status, status.st_uid != 0, count == 0 { return become(status, path) }
        guard mode & S_ISVTX != 0 else {
            throw SystemError(code: EPERM) { _ in
                "\(directory) is root's, but others may write to it: give it to the user of the service (chown), or let only root write "
                    + "to it (chmod go-w)"
            }
        }
    }

    private mutating func become(_ status: stat, _ path: String) {
        (user, group, place) = (status.st_uid, status.st_gid, path)
    }

    /// Returns the group of a user without an entry in the user database, from the group of this user's directory. A directory whose owner
    /// was changed often keeps root's group, of which the user is not a member.
    static func groupOfUnknownUser(_ group: gid_t) -> gid_t { group == 0 ? nobody : group }

    private static func names(_ path: String) -> [String] { path.split(separator: "/").map(String.init).filter { $0 != "." } }

    /// nil: missing.
    private static func status(_ path: String) throws(SystemError) -> stat? {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw SystemError.last }
        return nil
    }
}
