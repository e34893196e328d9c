internal import POSIX

extension Configuration {
    /// Files that root has read and the service could not: it runs as the owner of the configuration's path, to whom `init` gives all files.
    ///
    /// All threads take that owner's rights for a moment, as `Process.asOwner` says.
    /// - Returns: none for root's own path and if root does not run this process.
    package var unreadableFiles: [ConfigurationProblem] {
        guard let file = sources.files.first, let (place, owner) = FileSystem.otherOwner(of: file) else { return [] }
        let found = try? Process.asOwner(of: file) { () throws(SystemError) in
            sources.places.compactMap { Self.unreadable($0.file, at: $0.path, owner: owner, of: place) }
        }
        return found ?? []
    }

    /// - Parameters:
    ///   - owner: the user whose rights are in force.
    ///   - place: the directory that belongs to the user.
    private static func unreadable(_ file: String, at path: String, owner: UInt32, of place: String) -> ConfigurationProblem? {
        // systemd gives credentials to the user of the unit, whoever that is.
        guard !path.hasSuffix(".credential"), FileSystem.obstacle(toReading: file)?.isForbidden == true,
            let (locked, _) = FileSystem.visibleOwner(of: file)
        else { return nil }
        let absolute = (try? FileSystem.absolutePath(of: locked)) ?? locked
        let isOwn = locked == file || Path.ancestors(of: absolute).contains(place)
        let remedy =
            isOwn
            ? "run \(Machine.chown(locked, to: owner))"
            : "this user may not enter \(locked), so put the file into \(place) and give it to this user (chown)"
        let name = Machine.userName(owner)
        return ConfigurationProblem(
            path: path,
            message: "\(file) cannot be read by \(name), who owns \(place) and so is taken for the user that serves; \(remedy)")
    }
}
