internal import POSIX

/// A path that this user may not use, with the remedy.
struct ForbiddenPath: Equatable {
    /// The path itself or, if it is not visible, the nearest visible directory above it.
    let place: String
    let owner: FileOwner
    let user: UInt32

    /// Describes the owner and the command line that works, as the end of an error's sentence.
    /// - Parameter line: the command line.
    func remedy(_ line: String) -> String {
        if owner.id == user { return "\(place) belongs to this user; run chmod u+rwX on it" }
        return "\(place) belongs to \(owner.title); as root, or with sudo: \(owner.line(line))"
    }
}

extension ForbiddenPath {
    /// The alternative remedy for a user who will run the service and may not read root's configuration, as the end of an error's sentence;
    /// empty when the path belongs to another service, or may contain other users' files.
    func remedy(servingFrom configuration: String) -> String {
        guard owner.id == 0, user != 0, [configuration, Path.directory(of: configuration)].contains(place) else { return "" }
        let isWhole = place != configuration
        return "; if \(Machine.userName(user)) is to serve\(isWhole ? ", and nothing else is in \(place)" : ""), rather give it to that "
            + "user: \(Machine.chown(place, to: user, isWhole: isWhole))"
    }
}

extension ForbiddenPath {
    /// A path that this user may not use, because it belongs to another one.
    init(place: String, owner: UInt32) { self.init(place: place, owner: FileOwner(id: owner, at: place), user: Process.user) }

    /// Finds the owner; nil when not even the root directory can be seen.
    init?(_ path: String) {
        guard let (place, owner) = FileSystem.visibleOwner(of: path) else { return nil }
        self.init(place: place, owner: owner)
    }
}

extension Arguments {
    /// Rejects a command of root that would create files which another user's service could not write afterwards, or whose path a second
    /// user could redirect, so that no later command of root would use them.
    /// - Parameters:
    ///   - paths: the files.
    ///   - line: the command line for that user.
    ///   - hints: other remedies, and earlier steps.
    func refuseRoot(making paths: [String], line: String, hints: @autoclosure () -> [String] = []) throws(CommandError) {
        for path in paths {
            let found = try explaining { () throws(SystemError) in
                try FileSystem.otherOwner(of: path)
            } as: {
                .failed(Process.cannotActAsOwner(of: path, $0))
            }
            guard let (place, owner) = found else { continue }
            let forbidden = ForbiddenPath(place: place, owner: owner)
            let reason = "root would make files beside \(path), which the service of \(forbidden.owner.title) could not write afterwards"
            throw .failed(([reason] + hints() + [forbidden.remedy(line)]).joined(separator: "; "))
        }
    }
}

extension SystemError {
    /// The remedy when this user may not use a path, or its directory is missing, as the end of an error's sentence; empty for other
    /// errors, and when root may not use the path, because that error has a remedy.
    /// - Parameter line: the command line.
    func remedy(at path: String, _ line: String) -> String {
        let directory = Path.directory(of: path)
        if isMissing, !File.exists(directory) {
            let owner = (try? FileSystem.otherOwner(of: directory)).map { FileOwner(id: $0.owner, at: $0.place) }
            let command = "mkdir -p \(ShellWord.quoted(directory))"
            return "; first run \(owner?.line(command) ?? command)"
        }
        guard isForbidden, !Process.isRunByRoot, let place = ForbiddenPath(path) else { return "" }
        return "; \(place.remedy(line))"
    }
}
