internal import POSIX

/// Rejects files that other users may change or replace, because they could choose the secrets, or the whole configuration.
final class FileProtection {
    private let problems: ConfigurationFindings
    /// The users that may own the files.
    private var owners: Set<UInt32>
    // By path, so that thousands of secrets in one directory cost one check of it, and an open directory is reported once.
    private var seen: Set<String> = []

    /// - Parameter user: the id of the user that reads the configuration.
    init(_ problems: ConfigurationFindings, user: UInt32 = Process.user) {
        self.problems = problems
        owners = [0, user]
    }

    /// Trusts the owners of the configuration and of its directory with the other files, as they may choose every secret anyway. So root
    /// and members of the group can run commands about the service of another user.
    func trustOwners(ofConfiguration path: String, _ contents: File.Contents) {
        let directory = try? FileSystem.owner(of: Path.directory(of: path))
        // The user of files with unmapped owners is unknown.
        for owner in [contents.owner, directory] { if let owner, owner != Machine.unmappedUser { owners.insert(owner) } }
    }

    /// Notes that a file belongs to another user, who may read and change it whatever its mode.
    ///
    /// It may be the user that serves, which is unknown here. The remedy must not take the file from that user.
    /// - Parameters: as for `check`.
    func check(owner: UInt32, at place: String, shown: String, alternative: String) {
        guard !owners.contains(owner) else { return }
        let name = Machine.userName(owner)
        problems.add(
            place,
            "\(shown) belongs to \(name), who may change it; if \(name) serves, run this as that user, otherwise chown it to the user that "
                + "serves\(alternative)")
    }

    /// Reports mistakes of a file that was read, and of the directories above it.
    /// - Parameters:
    ///   - path: the file as the process sees it.
    ///   - place: its location in the configuration.
    ///   - shown: the file as people see it.
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

    /// Whether a file with these permissions may be written by others than its owner.
    static func isChangeable(_ mode: UInt32) -> Bool { mode & 0o022 != 0 }

    /// Whether everyone may replace what lies in a directory with these permissions; where the sticky bit is set, only owners may.
    static func isOpen(_ mode: UInt32) -> Bool { mode & 0o002 != 0 && mode & 0o1000 == 0 }

    /// The directories on the way to a file, and on the way to where its symbolic link leads, as Kubernetes' `..data/NAME`. None where the
    /// path has no absolute form, as a pipe's has not.
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
