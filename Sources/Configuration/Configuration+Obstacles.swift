internal import HTML
internal import HTTPServer
internal import POSIX

extension Configuration {
    /// Obstacles that prevent this user from starting the service on this machine, apart from obstacles of the store: directories,
    /// addresses, ports and libraries.
    /// - Parameters:
    ///   - mayBeServed: whether the service itself may be using the addresses, so that addresses in use are no obstacle.
    ///   - stranger: the reason why the process at the admin listener's address is not recognized as the service; nil when there is none.
    package func listenerObstacles(mayBeServed: Bool, stranger: String?) -> [ConfigurationProblem] {
        Self.obstacles(to: listen.address, at: "$.listen", mayBeServed)
            + Self.obstacles(to: admin.listener.address, at: "$.admin", mayBeServed, stranger)
            + previewObstacles
    }

    private var previewObstacles: [ConfigurationProblem] {
        guard !HTMLReader.isAvailable else { return [] }
        return apps.enumerated().filter { $1.sendbird?.makesURLPreviews == true }.map { index, _ in
            ConfigurationProblem(
                path: "$.apps[\(index)].sendbird.url_previews",
                message: "libxml2, which reads pages for previews, is not installed; apt-get install libxml2")
        }
    }

    private static func obstacles(
        to address: ListenAddress, at place: String, _ mayBeServed: Bool, _ stranger: String? = nil
    ) -> [ConfigurationProblem] {
        let reason = stranger.map { "; it has not proven to know an admin token: \($0)" } ?? ""
        switch address {
        case .unix(let path): return unixObstacles(path, place: "\(place).unix", mayBeServed: mayBeServed, reason: reason)
        case .tcp:
            do throws(ServerError) {
                try address.probe()
            } catch {
                guard error.kind == .addressInUse else { return [ConfigurationProblem(path: place, message: error.description)] }
                return mayBeServed ? [] : [ConfigurationProblem(path: place, message: error.description + reason)]
            }
            return []
        }
    }

    private static func unixObstacles(
        _ path: String, place: String, mayBeServed: Bool, reason: String
    ) -> [ConfigurationProblem] {
        let directory = obstacles(toMakingFilesBeside: path, at: place)
        guard directory.isEmpty, File.exists(path) else { return directory }
        guard FileSystem.isSocket(path) else {
            return [ConfigurationProblem(path: place, message: "\(path) exists and is no socket; give another path")]
        }
        let isHeld = (try? UnixSocket.probe(path)) != nil
        return isHeld && !mayBeServed
            ? [ConfigurationProblem(path: place, message: "another process listens on \(path); stop it or give another path\(reason)")]
            : []
    }

    fileprivate static func obstacles(toMakingFilesBeside path: String, at place: String) -> [ConfigurationProblem] {
        let directory = Path.directory(of: path)
        guard FileSystem.isDirectory(directory) else {
            return [
                ConfigurationProblem(
                    path: place, message: "there is no directory \(directory); make it with: mkdir -m 700 \(ShellWord.quoted(directory))")
            ]
        }
        guard FileSystem.isWritable(directory) else {
            let user = Process.rightsInForce == nil ? "this user" : Machine.userName(Process.user)
            return [ConfigurationProblem(path: place, message: "\(user) cannot write into \(directory); chown it to the user that serves")]
        }
        return []
    }
}

extension Configuration.Store {
    /// Obstacles to opening the store: a missing directory, or the permissions of files. Root checks with the rights of the path's owner. A
    /// path that several users control is an obstacle, because commands that run as root refuse to use it.
    package var obstacles: [ConfigurationProblem] {
        var found: [ConfigurationProblem] = []
        if case .sqlite(let path) = kind { found = Self.asOwner(of: path, "$.store.path") { Self.obstacles(toWriting: path) } }
        // Skips the copy of the revocations after a finding: by default it is beside the database, so its obstacles would be the same.
        guard found.isEmpty, let revocationsPath else { return found }
        return Self.asOwner(of: revocationsPath, "$.store.revocations_path") { [] }
    }

    /// Warns when the disk has less free space than required, so that webhooks are rejected from the start.
    package var roomWarning: ConfigurationProblem? {
        guard case .sqlite(let path) = kind, let free = try? FileSystem.freeBytes(at: Path.directory(of: path)) else { return nil }
        return roomWarning(freeBytes: free)
    }

    /// Returns the warning for a disk with the given free space.
    func roomWarning(freeBytes: UInt64) -> ConfigurationProblem? {
        guard freeBytes < UInt64(minimumFreeMegabytes) * 1_000_000 else { return nil }
        return ConfigurationProblem(
            path: "$.store.minimum_free_megabytes",
            message: "only \(freeBytes / 1_000_000) MB are free on the store's disk: webhooks are answered 503; make room, or lower it")
    }

    /// Whether root refuses to run the service or to modify the store, because several users control the path of a file.
    package var isRefusedToRoot: Bool {
        files.contains { file in
            do throws(SystemError) {
                _ = try FileSystem.otherOwner(of: file)
                return false
            } catch {
                return true
            }
        }
    }

    private static func asOwner(
        of path: String, _ place: String, _ body: () -> [ConfigurationProblem]
    ) -> [ConfigurationProblem] {
        do throws(SystemError) {
            return try Process.asOwner(of: path) { () throws(SystemError) in body() }
        } catch {
            return [ConfigurationProblem(path: place, message: Process.cannotActAsOwner(of: path, error))]
        }
    }

    private static func obstacles(toWriting path: String) -> [ConfigurationProblem] {
        let files = [path, "\(path)-shm", "\(path)-wal"].filter { file in
            // Skips a dangling link, which has no permissions: a missing database is a different obstacle.
            let isFile = File.exists(file) && FileSystem.obstacle(toReading: file)?.isMissing != true
            return isFile && !FileSystem.isWritable(file)
        }
        let isOwner = Process.rightsInForce != nil
        return Configuration.obstacles(toMakingFilesBeside: path, at: "$.store.path")
            + files.map { file in
                let user = isOwner ? Machine.userName(Process.user) : "this user"
                return ConfigurationProblem(
                    path: "$.store.path", message: "\(file) cannot be written by \(user); \(Process.remedy(ofUnwritable: file))")
            }
    }
}
