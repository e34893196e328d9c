/// The user who owns files, for command lines with which root works on them.
package struct FileOwner: Equatable, Sendable {
    package let id: UInt32
    /// nil when the system has no name, as for the owner of a directory that a container shares with its host.
    package let name: String?
    private let group: UInt32

    /// - Parameter group: the group of the user's files.
    package init(id: UInt32, name: String?, group: UInt32) {
        (self.id, self.name, self.group) = (id, name, PathOwner.groupOfUnknownUser(group))
    }

    /// Uses the owner of a path, as `FileSystem` finds it.
    /// - Parameter place: the directory or file with that owner.
    package init(id: UInt32, at place: String) {
        self.init(id: id, name: Machine.knownUserName(id), group: (try? FileSystem.group(of: place)) ?? 0)
    }

    /// The name for messages; `user ID` when the system has none.
    package var title: String { Machine.userName(id, known: name) }

    /// Returns the command line with which root runs another one as this user. runuser(1) requires a name.
    package func line(_ line: String) -> String {
        if id == 0 { return line }
        guard let name else { return "setpriv --reuid=\(id) --regid=\(group) --clear-groups \(line)" }
        return "runuser -u \(ShellWord.quoted(name)) -- \(line)"
    }
}
