package import POSIX

extension Configuration {
    /// The user, other than root, that root assumes to run the service: the owner of the store's path, because root refuses to serve with
    /// files of another user. If the store has no files, the configuration's path decides, because `init` gives all files to the owner of
    /// that path.
    /// - Returns: nil if root owns the path, if several users control it, or if this process does not run as root.
    package var userThatServes: FileOwner? { placeOfService.map { FileOwner(id: $0.owner, at: $0.place) } }

    /// The file that commands read by default.
    package static let defaultFile = "/etc/deskgate/config.json"

    package static let startOfUnit = "systemctl start deskgate"

    /// The reason for restoring a lost configuration instead of making a new one.
    package static let costOfNewOne = "a new one has new secrets, and all minted keys become invalid"

    /// The remedy for a missing configuration, as the end of a sentence.
    package static func remedyOfAbsence(of file: String) -> String {
        "if there was one, put it back: \(costOfNewOne); on a new machine: deskgate init \(ShellWord.quoted(Path.directory(of: file))) --app ID"
    }

    /// The command line that starts the service, with `--config` when the file is not the default. For root, the line switches to the user
    /// that runs the service.
    package var serveLine: String {
        let named = sources.files.first.flatMap { $0 == Self.defaultFile ? nil : " --config \(ShellWord.quoted($0))" }
        let line = "deskgate serve\(named ?? "")"
        return userThatServes?.line(line) ?? line
    }

    /// The path whose owner runs the service; the directory, link or file that determines the owner; and the owner.
    private var placeOfService: (path: String, place: String, owner: UInt32)? {
        guard let path = store.files.first ?? sources.files.first, let (place, owner) = try? FileSystem.otherOwner(of: path) else {
            return nil
        }
        return (path, place, owner)
    }

    /// Files that root has read, but the user that runs the service cannot read.
    ///
    /// All threads briefly take the rights of that user, as `Process.asOwner` documents.
    /// - Returns: problems, and as warnings the files that a group may read, because only the systemd unit determines whether the user has
    ///   this group. Both are empty if root owns the path, if several users control it (an obstacle of the store), or if this process does
    ///   not run as root.
    package var unreadableFiles: (problems: [ConfigurationProblem], warnings: [ConfigurationProblem]) {
        guard let (decisive, place, owner) = placeOfService else { return ([], []) }
        let found = try? Process.asOwner(of: decisive) { () throws(SystemError) in
            sources.places.compactMap { UnreadableFile($0.file, at: $0.path) }
        }
        let user = "\(Machine.userName(owner)), who as the owner of \(place) controls \(decisive) and so is taken for the user that serves"
        func described(_ file: UnreadableFile) -> ConfigurationProblem {
            let condition = file.isForGroup ? "unless the unit gives this user the group of \(file.locked) (SupplementaryGroups=), " : ""
            return ConfigurationProblem(
                path: file.key, message: "\(file.path) cannot be read by \(user); \(condition)\(file.remedy(for: owner, of: place))")
        }
        let files = found ?? []
        return (files.filter { !$0.isForGroup }.map(described), files.filter(\.isForGroup).map(described))
    }
}

/// A file that the effective user may not read.
private struct UnreadableFile {
    let path: String
    /// The configuration key that names the file.
    let key: String
    /// The file itself, or the first directory on its path that the user may not enter.
    let locked: String

    /// - Returns: nil for a file that the user may read.
    init?(_ path: String, at key: String) {
        // systemd makes credentials readable for the user of the unit.
        guard !key.hasSuffix(".credential"), FileSystem.obstacle(toReading: path)?.isForbidden == true,
            let (locked, _) = FileSystem.visibleOwner(of: path)
        else { return nil }
        (self.path, self.key, self.locked) = (path, key, locked)
    }

    /// Whether the group of `locked` may read or enter it. Excludes root's group, which services do not have.
    var isForGroup: Bool {
        guard let mode = try? FileSystem.mode(of: locked), let group = try? FileSystem.group(of: locked) else { return false }
        return group != 0 && mode & (locked == path ? 0o040 : 0o010) != 0
    }

    /// Proposes chown only for a place below a directory of the user, because other programs may use other places.
    /// - Parameter place: a directory of the user.
    func remedy(for user: UInt32, of place: String) -> String {
        let absolute = (try? FileSystem.absolutePath(of: locked)) ?? locked
        if Path.ancestors(of: absolute).dropFirst().contains(where: { (try? FileSystem.owner(of: $0)) == user }) {
            return "run \(Machine.chown(locked, to: user))"
        }
        return "this user may not \(locked == path ? "read" : "enter") \(locked), so put a copy of the file into \(place) and give that to "
            + "this user (chown)"
    }
}
