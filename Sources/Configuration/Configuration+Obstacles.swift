internal import HTML
internal import HTTPServer
internal import POSIX

extension Configuration {
    /// What would keep the service from starting on this machine, as this user: directories, addresses and ports.
    ///
    /// While a service holds the store, the ports are taken to be its own. Only a SQLite store shows its holder, so with the others ports in
    /// use are passed over.
    package func obstacles() -> [ConfigurationProblem] {
        // The others do not show whether a service on this machine uses them.
        let mayBeServed = isStoreHeld ?? true
        return storeObstacles
            + Self.obstacles(to: listen.address, at: "$.listen", mayBeServed)
            + Self.obstacles(to: admin.listener.address, at: "$.admin", mayBeServed)
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

    /// Whether a process has the store open; nil for a store that does not show it.
    package var isStoreHeld: Bool? {
        guard case .sqlite(let path) = store.kind else { return nil }
        return Self.storeFiles(path).contains(where: FileSystem.isLocked)
    }

    private static func storeFiles(_ path: String) -> [String] { [path, "\(path)-shm"] }

    private var storeObstacles: [ConfigurationProblem] {
        guard case .sqlite(let path) = store.kind else { return [] }
        let files = (Self.storeFiles(path) + ["\(path)-wal"]).filter { File.exists($0) && !FileSystem.isWritable($0) }
        return Self.obstacles(toMakingFilesBeside: path, at: "$.store.path")
            + files.map {
                ConfigurationProblem(
                    path: "$.store.path", message: "\($0) cannot be written by this user; chown it to the user that serves")
            }
    }

    private static func obstacles(to address: ListenAddress, at place: String, _ mayBeServed: Bool) -> [ConfigurationProblem] {
        switch address {
        case .unix(let path): return unixObstacles(path, "\(place).unix", mayBeServed)
        case .tcp:
            do throws(ServerError) {
                try address.probe()
            } catch {
                if mayBeServed, error.kind == .addressInUse { return [] }
                return [ConfigurationProblem(path: place, message: error.description)]
            }
            return []
        }
    }

    private static func unixObstacles(_ path: String, _ place: String, _ mayBeServed: Bool) -> [ConfigurationProblem] {
        let directory = obstacles(toMakingFilesBeside: path, at: place)
        guard directory.isEmpty, File.exists(path) else { return directory }
        guard FileSystem.isSocket(path) else {
            return [ConfigurationProblem(path: place, message: "\(path) exists and is no socket; give another path")]
        }
        let isHeld = (try? UnixSocket.probe(path)) != nil
        return isHeld && !mayBeServed
            ? [ConfigurationProblem(path: place, message: "another process listens on \(path); stop it or give another path")] : []
    }

    private static func obstacles(toMakingFilesBeside path: String, at place: String) -> [ConfigurationProblem] {
        let directory = Path.directory(of: path)
        guard FileSystem.isDirectory(directory) else {
            return [
                ConfigurationProblem(path: place, message: "there is no directory \(directory); make it with: mkdir -m 700 \(directory)")
            ]
        }
        guard FileSystem.isWritable(directory) else {
            return [
                ConfigurationProblem(path: place, message: "this user cannot write into \(directory); chown it to the user that serves")
            ]
        }
        return []
    }
}
