internal import HTTPServer

/// Where the two listeners listen.
extension ConfigurationReader {
    func address(_ object: ConfigurationObject, defaultPort: UInt16) -> ListenAddress {
        if let path = object.string("unix") {
            for key in ["host", "port"] where object.value(key) != nil {
                problems.add(object.path(of: key), "give \"unix\" or \"host\" and \"port\", not both")
            }
            return .unix(path: socketPath(path, at: object.path(of: "unix")))
        }
        let host = object.string("host") ?? "127.0.0.1"
        return .tcp(host: host, port: UInt16(object.integer("port", 0...65535, default: Int(defaultPort))))
    }

    /// Refuses listeners of which the second could not start, as the first has its address.
    func refuseSharedAddress(_ listen: ListenAddress, _ admin: ListenAddress) {
        guard listen.overlaps(admin) else { return }
        switch admin {
        case .tcp: problems.add("$.admin.port", "\(admin) is taken by $.listen, which has \(listen); give one of them another port")
        case .unix: problems.add("$.admin.unix", "$.listen has this socket already; give one of them another path")
        }
    }

    private func socketPath(_ path: String, at place: String) -> String {
        let resolved = secrets.resolve(path)
        if resolved.utf8.count > ListenAddress.longestSocketPath {
            problems.add(
                place,
                "expected at most \(ListenAddress.longestSocketPath) bytes, which is all that the path of a Unix socket may have; "
                    + "found \(resolved.utf8.count) from the configuration's directory on")
        }
        return resolved
    }
}
