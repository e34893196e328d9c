internal import POSIX

/// A path that this user may not use, with the remedy.
struct ForbiddenPath: Equatable {
    /// The path itself or, where it cannot be seen, the nearest directory above it that can.
    let place: String
    /// The user that the place belongs to.
    let owner: UInt32
    /// The name of that user; nil when the system has none.
    let name: String?
    /// The user that runs the command.
    let user: UInt32

    /// Describes the owner and the command line that works, as the end of an error's sentence.
    /// - Parameter line: the command line.
    func remedy(_ line: String) -> String {
        if owner == user { return "\(place) belongs to this user; run chmod u+rwX on it" }
        guard let name else { return "\(place) belongs to user \(owner); run the command as that user" }
        let whole = owner == 0 ? line : "runuser -u \(name) -- \(line)"
        return "\(place) belongs to \(name); as root, or with sudo: \(whole)"
    }
}

extension ForbiddenPath {
    /// Finds the owner; nil when not even the root directory can be seen.
    init?(_ path: String) {
        guard let (place, owner) = FileSystem.visibleOwner(of: path) else { return nil }
        self.init(place: place, owner: owner, name: Machine.knownUserName(owner), user: Process.user)
    }
}

extension Arguments {
    /// Refuses a command of root that would make files of the service where another user's service could not write them afterwards.
    /// - Parameters:
    ///   - paths: the files.
    ///   - line: the command line for that user.
    ///   - hint: another remedy.
    func refuseRoot(making paths: [String], line: String, hint: String? = nil) throws(CommandError) {
        for path in paths {
            guard let (place, owner) = FileSystem.otherOwner(of: path) else { continue }
            let remedy = ForbiddenPath(place: place, owner: owner, name: Machine.knownUserName(owner), user: Process.user).remedy(line)
            let reason = "root would make \(path), which the service of \(Machine.userName(owner)) could not write afterwards"
            throw .failed([reason, hint, remedy].compactMap(\.self).joined(separator: "; "))
        }
    }
}

extension SystemError {
    /// The remedy when this user may not use a path, as the end of an error's sentence; empty for other errors, and for root, whose errors
    /// have one.
    /// - Parameter line: the command line.
    func remedy(at path: String, _ line: String) -> String {
        guard isForbidden, Process.rightsInForce == nil, let place = ForbiddenPath(path) else { return "" }
        return "; \(place.remedy(line))"
    }
}
