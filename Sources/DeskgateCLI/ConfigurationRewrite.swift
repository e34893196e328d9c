internal import Configuration
internal import POSIX

/// Replaces a configuration file atomically by an edited version.
struct ConfigurationRewrite {
    private static let sizeLimit = 16 << 20

    let path: String
    let text: [UInt8]
    private let mode: UInt32

    init(_ path: String) throws(CommandError) {
        let contents = try explaining { () throws(SystemError) in
            try File.read(path, limit: Self.sizeLimit)
        } as: {
            .failed("cannot read \(path): \($0)")
        }
        (self.path, text, mode) = (path, contents.bytes, contents.mode)
    }

    /// The base directory of relative paths in the file.
    var directory: String { Path.directory(of: path) }

    /// Writes the edited text to a file in the same directory, with the owner and permissions of the original, checks it as a
    /// configuration, and replaces the original.
    /// - Parameter isRight: returns whether the new configuration is the intended one.
    /// - Throws: when the new configuration is not the intended one, or the file has changed since it was read. The file is then unchanged.
    func replace(with edited: [UInt8], if isRight: (Configuration) -> Bool) throws(CommandError) {
        // A fixed name, so that the second of two concurrent runs fails.
        let draft = "\(path).rotating"
        try refuseLink()
        try explaining { () throws(SystemError) in
            try File.create(draft, mode: mode, ownedAs: path, edited)
        } as: {
            $0.alreadyExists
                ? .negative("exists", "\(draft) exists: another run is under way, or was killed; remove the file then")
                : .failed("cannot make \(draft) with the owner of \(path): \($0); run the command as that owner")
        }
        do throws(CommandError) {
            try check(draft, isRight)
            try explaining { () throws(SystemError) in
                try Process.asOwner(of: path) { () throws(SystemError) in
                    try File.rename(draft, to: path)
                    try File.synchronize(directory)
                }
            } as: {
                .failed("cannot replace \(path): \($0)")
            }
        } catch {
            try? Process.asOwner(of: draft) { () throws(SystemError) in try File.remove(draft) }
            throw error
        }
    }

    private func check(_ draft: String, _ isRight: (Configuration) -> Bool) throws(CommandError) {
        let next = try explaining({ () throws(ConfigurationError) in try Configuration(contentsOf: draft) }, as: { .configuration($0) })
        guard isRight(next) else { throw .failed("\(path) could not be edited; nothing was changed") }
        let current = try explaining { () throws(SystemError) in try File.read(path, limit: Self.sizeLimit).bytes }
        guard current == text else { throw .failed("\(path) was changed meanwhile; nothing was changed by this command, run it again") }
    }

    /// Rejects a symbolic link, because the command would replace the link instead of its target.
    private func refuseLink() throws(CommandError) {
        let places = try explaining { () throws(SystemError) in
            (try FileSystem.absolutePath(of: path), try FileSystem.absolutePath(of: directory))
        }
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) } ?? path
        guard places.0 == Path.resolve(name, in: places.1 == "/" ? "" : places.1) else {
            throw .failed("\(path) is a symbolic link; edit the file that it leads to where that is kept")
        }
    }
}

struct NewSecretFile {
    private static let maximumNames = 100

    let name: String
    let path: String

    /// Creates the file under an unused name, readable by the users that may read `sibling`.
    /// - Parameter sibling: the file of another secret of the app, as written in the configuration; nil for none.
    init(app: String, keyID: UInt32, beside sibling: String?, of file: ConfigurationRewrite) throws(CommandError) {
        let secret = try SecretCommand.newSecret()
        let directory = sibling.flatMap(Self.directory)
        let base = Self.fileName(app)
        for number in 1...Self.maximumNames {
            let name = "\(base)-\(keyID)\(number == 1 ? "" : "-\(number)").key"
            let named = directory.map { Path.resolve(name, in: $0) } ?? name
            let path = Path.resolve(named, in: file.directory)
            guard !File.exists(path) else { continue }
            (self.name, self.path) = (named, path)
            try write(secret, as: sibling.map { Path.resolve($0, in: file.directory) } ?? file.path, isSecret: sibling != nil)
            return
        }
        throw .negative("exists", "\(Self.maximumNames) files of the name \(base)-\(keyID) exist already; nothing was changed")
    }

    /// Removes the file, because the configuration does not name it.
    func remove() {
        try? Process.asOwner(of: path) { () throws(SystemError) in try File.remove(path) }
    }

    private func write(_ secret: String, as model: String, isSecret: Bool) throws(CommandError) {
        // The group may read the new file if it may read the app's other secret, because the service may be a member of the group.
        let mode = isSecret ? ((try? FileSystem.mode(of: model)) ?? 0) & 0o040 | 0o600 : 0o600
        do throws(SystemError) {
            try File.create(path, mode: mode, ownedAs: model, "\(secret)\n".utf8)
        } catch {
            throw .failed("cannot make \(path) with the owner of \(model): \(error); run the command as root or as that owner")
        }
        do throws(SystemError) {
            try File.synchronize(Path.directory(of: path))
        } catch {
            remove()
            throw .failed("cannot make \(path): \(error)")
        }
    }

    /// Returns the directory of a secret, if it is below the configuration's directory; otherwise nil.
    private static func directory(of sibling: String) -> String? {
        guard sibling.utf8.first != UInt8(ascii: "/"), !sibling.split(separator: "/").contains("..") else { return nil }
        let directory = Path.directory(of: sibling)
        return directory == "." ? nil : directory
    }

    /// Converts an app_id to a part of a file name.
    private static func fileName(_ app: String) -> String {
        let name = app.unicodeScalars.prefix(40).map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": Character(scalar)
            default: "_"
            }
        }
        return name.first == "-" ? "app" + String(name) : String(name)
    }
}
