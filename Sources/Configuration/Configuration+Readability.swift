package import POSIX

extension Configuration {
    /// The user other than root that the service runs as, as far as root can see: the owner of the store's path, beside whose files root
    /// refuses to serve. Without files of the store the configuration's path decides, because `init` gives all files to its owner.
    /// - Returns: nil for root's own path, for one of several users, and if root does not run this process.
    package var userThatServes: FileOwner? { placeOfService.map { FileOwner(id: $0.owner, at: $0.place) } }

    /// The file that commands read where none is named.
    package static let defaultFile = "/etc/deskgate/config.json"

    package static let startOfUnit = "systemctl start deskgate"

    /// The reason for restoring a lost configuration instead of making a new one.
    package static let costOfNewOne = "a new one has new secrets, and all minted keys become invalid"

    /// The remedy where there is no configuration, as the end of a sentence.
    package static func remedyOfAbsence(of file: String) -> String {
        "if there was one, put it back: \(costOfNewOne); on a new machine: deskgate init \(ShellWord.quoted(Path.directory(of: file))) --app ID"
    }

    /// The command line that starts the service, with the file that it must name; for root, as the user that serves.
    package var serveLine: String {
        let named = sources.files.first.flatMap { $0 == Self.defaultFile ? nil : " --config \(ShellWord.quoted($0))" }
        let line = "deskgate serve\(named ?? "")"
        return userThatServes?.line(line) ?? line
    }

    /// The path that decides who serves, the directory, link or file that shows the owner, and the owner.
    private var placeOfService: (path: String, place: String, owner: UInt32)? {
        guard let path = store.files.first ?? sources.files.first, let (place, owner) = try? FileSystem.otherOwner(of: path) else {
            return nil
        }
        return (path, place, owner)
    }

    /// Files that root has read and the user that serves could not.
    ///
    /// All threads take that owner's rights for a moment, as `Process.asOwner` says.
    /// - Returns: as warnings the files that a group may read which the unit alone may give to the user; nothing for root's own path, for
    ///   one of several users, which is an obstacle of the store, and if root does not run this process.
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

/// A file that the user whose rights are in force may not read.
private struct UnreadableFile {
    let path: String
    /// The key of the configuration that names it.
    let key: String
    /// The file itself, or the directory on the way to it that the user may not enter.
    let locked: String

    /// - Returns: nil for a file that the user may read.
    init?(_ path: String, at key: String) {
        // systemd gives credentials to the user of the unit.
        guard !key.hasSuffix(".credential"), FileSystem.obstacle(toReading: path)?.isForbidden == true,
            let (locked, _) = FileSystem.visibleOwner(of: path)
        else { return nil }
        (self.path, self.key, self.locked) = (path, key, locked)
    }

    /// Whether the group of the locked place may use it. Root's group is given to no service.
    var isForGroup: Bool {
        guard let mode = try? FileSystem.mode(of: locked), let group = try? FileSystem.group(of: locked) else { return false }
        return group != 0 && mode & (locked == path ? 0o040 : 0o010) != 0
    }

    /// Only a place below a directory of the user is given to the user: other programs may use the rest.
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
