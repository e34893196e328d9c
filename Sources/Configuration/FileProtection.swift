internal import POSIX

/// Rejects files that other users may change or replace, because these users could choose the secrets or the whole configuration.
final class FileProtection {
    private let problems: ConfigurationFindings
    /// The users that may own the files.
    private var owners: Set<UInt32>
    // The checked directories. With thousands of secrets in one directory, the directory is checked and reported only once.
    private var seen: Set<String> = []

    /// - Parameter user: the id of the user that reads the configuration.
    init(_ problems: ConfigurationFindings, user: UInt32 = Process.user) {
        self.problems = problems
        owners = [0, user]
    }

    /// Trusts the owners of the configuration and of its directory for the other files too, because these users can choose every secret in
    /// any case. Root and members of the group can therefore run commands about another user's service.
    func trustOwners(ofConfiguration path: String, _ contents: File.Contents) {
        let directory = try? FileSystem.owner(of: Path.directory(of: path))
        // Files with unmapped owners do not show their real owner.
        for owner in [contents.owner, directory] { if let owner, owner != Machine.unmappedUser { owners.insert(owner) } }
    }

    /// Reports a file that belongs to another user, who may read and change it regardless of its mode.
    ///
    /// This owner may be the user that runs the service, which is unknown here. The remedy must not take the file from that user.
    /// - Parameters: the same as for the other `check`.
    func check(owner: UInt32, at place: String, shown: String, alternative: String) {
        guard !owners.contains(owner) else { return }
        let name = Machine.userName(owner)
        problems.add(
            place,
            "\(shown) belongs to \(name), who may change it; if \(name) serves, run this as that user, otherwise chown it to the user that "
                + "serves\(alternative)")
    }

    /// Reports unsafe permissions of a file that was read, and of the directories above it.
    /// - Parameters:
    ///   - path: the path of the file for this process.
    ///   - place: the JSON path in the configuration.
    ///   - shown: the name of the file in messages.
    ///   - alternative: an alternative to the remedy.
    func check(_ path: String, mode: UInt32, at place: String, shown: String, alternative: String = "") {
        if Self.isChangeable(mode) {
            problems.add(place, "\(shown) can be changed by others (mode \(Self.octal(mode))); run chmod go-w on it\(alternative)")
        }
        for directory in Self.directories(above: path) where seen.insert(directory).inserted {
            guard let mode = try? FileSystem.mode(of: directory), Self.isOpen(mode) else { continue }
            problems.add(
                place,
                "\(shown) can be replaced by everyone, as \(printable(directory, longest: 4096)) has the mode \(Self.octal(mode)); "
                    + "run chmod o-w on that directory\(alternative)")
        }
    }

    /// Whether the permissions allow users other than the owner to write to the file.
    static func isChangeable(_ mode: UInt32) -> Bool { mode & 0o022 != 0 }

    /// Whether the permissions allow all users to replace files in the directory. With the sticky bit, only the owners may.
    static func isOpen(_ mode: UInt32) -> Bool { mode & 0o002 != 0 && mode & 0o1000 == 0 }

    /// Returns the directories above a file and above the target of its symbolic link, as in Kubernetes' `..data/NAME`. Empty when the path
    /// cannot be resolved, as for a pipe.
    private static func directories(above path: String) -> [String] {
        let named = try? FileSystem.absolutePath(of: Path.directory(of: path))
        let real = (try? FileSystem.absolutePath(of: path)).map { Path.directory(of: $0) }
        return [named, real].flatMap { $0.map { Path.ancestors(of: $0) } ?? [] }
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
