internal import Configuration
internal import Core
internal import HTTPServer
internal import POSIX

/// Compares the systemd unit of the service with the configuration.
struct UnitCheck: Sendable {
    /// The seconds that the service may need to stop after its requests have ended.
    private static let stopSeconds = 5

    let configuration: Configuration
    let unit: UnitSettings
    let places: SystemPaths

    /// Returns all findings; a single finding with the state `ok` when there is no problem.
    func examine(_ file: String) -> [DoctorFinding] {
        let findings = served(file) + start() + stop() + paths() + ports()
        guard findings.isEmpty else { return findings }
        return [DoctorFinding(.unit, state: .ok, message: "\(unit.source) fits the configuration")]
    }

    private func finding(_ state: DoctorFinding.State, _ message: String) -> DoctorFinding {
        DoctorFinding(.unit, state: state, message: "\(unit.source): \(message)")
    }

    /// Checks whether the unit uses the examined configuration.
    private func served(_ file: String) -> [DoctorFinding] {
        guard let start = unit["ExecStart"] else { return [] }
        let words = start.split { " =\"';".contains($0) }.map(String.init)
        guard let option = words.firstIndex(of: "--config"), words.indices.contains(option + 1) else { return [] }
        let (named, examined) = (words[option + 1], (try? FileSystem.absolutePath(of: file)) ?? file)
        guard named != examined, (try? FileSystem.absolutePath(of: named)) != examined else { return [] }
        return [finding(.warning, "the unit uses \(named), but \(file) was examined; examine the unit's file with --config")]
    }

    private func start() -> [DoctorFinding] {
        guard let type = unit["Type"], ["forking", "dbus"].contains(type) else { return [] }
        return [finding(.problem, "Type=\(type) waits for something that the service does not do; set Type=notify")]
    }

    /// Checks whether the unit leaves requests and attempts enough time to end at a stop.
    private func stop() -> [DoctorFinding] {
        // An unset value means DefaultTimeoutStopSec, which is 90 s by default.
        guard let seconds = unit.seconds("TimeoutStopUSec"), Int(seconds) < configuration.drainSeconds + Self.stopSeconds else { return [] }
        return [
            finding(
                .warning,
                "it is killed \(Int(seconds)) s after a stop, but shutdown.drain_seconds is \(configuration.drainSeconds); "
                    + "set TimeoutStopSec=\(configuration.drainSeconds + Self.stopSeconds) or more")
        ]
    }

    /// Checks whether the unit allows the service to write to the paths in the configuration.
    private func paths() -> [DoctorFinding] {
        var written: [(key: String, path: String)] = []
        if case .sqlite(let path) = configuration.store.kind { written.append(("store.path", path)) }
        for (key, listener) in [("listen.unix", configuration.listen), ("admin.unix", configuration.admin.listener)] {
            if case .unix(let path) = listener.address { written.append((key, path)) }
        }
        let sandbox = UnitSandbox(unit)
        return written.compactMap { key, path in
            let directory = Path.directory(of: path)
            let absolute = (try? FileSystem.absolutePath(of: directory)) ?? directory
            guard let obstacle = sandbox.obstacle(toWritingIn: absolute) else { return nil }
            let message = "the service cannot write into \(absolute) (\(key)): \(obstacle.reason); \(obstacle.remedy)"
            return finding(obstacle.isHidden ? .warning : .problem, message)
        }
    }

    /// Checks whether the service may bind ports below 1024.
    private func ports() -> [DoctorFinding] {
        let ports = [configuration.listen.address, configuration.admin.listener.address].compactMap { address -> UInt16? in
            if case .tcp(_, let port) = address, port > 0, port < firstFreePort { port } else { nil }
        }
        guard let port = ports.first, let user = unit["User"], user != "root", user != "0" else { return [] }
        let capability = "cap_net_bind_service"
        if !unit.hasCapability(capability, in: "AmbientCapabilities") {
            return [
                finding(
                    .problem,
                    "the user \(user) may not bind port \(port); set AmbientCapabilities=CAP_NET_BIND_SERVICE, which also applies with "
                        + "NoNewPrivileges=yes")
            ]
        }
        if unit["CapabilityBoundingSet"] != nil, !unit.hasCapability(capability, in: "CapabilityBoundingSet") {
            return [finding(.problem, "port \(port) needs CAP_NET_BIND_SERVICE; add it to CapabilityBoundingSet")]
        }
        if unit.isOn("PrivateUsers") {
            return [finding(.problem, "with PrivateUsers=yes no capability lets the service bind port \(port); remove PrivateUsers")]
        }
        return []
    }

    private var firstFreePort: UInt16 {
        places.text("/proc/sys/net/ipv4/ip_unprivileged_port_start")?.split(separator: "\n").first.flatMap { UInt16($0) } ?? 1024
    }
}

/// The restrictions of a unit on writable directories (systemd.exec(5)).
struct UnitSandbox {
    struct Obstacle {
        let reason, remedy: String
        /// Whether the directory is writable, but its files are invisible to other processes.
        let isHidden: Bool
    }

    private let unit: UnitSettings
    private let writable: [String]

    init(_ unit: UnitSettings) {
        self.unit = unit
        let own = [
            ("StateDirectory", "/var/lib"), ("RuntimeDirectory", "/run"), ("CacheDirectory", "/var/cache"), ("LogsDirectory", "/var/log"),
        ]
        writable =
            unit.words("ReadWritePaths")
            + own.flatMap { name, parent in
                unit.words(name).map { "\(parent)/\($0.split(separator: ":").first ?? "")" }
            }
    }

    func obstacle(toWritingIn directory: String) -> Obstacle? {
        let parents = Path.ancestors(of: directory)
        func isIn(_ paths: [String]) -> Bool { paths.contains { parents.contains($0) } }
        if isIn(writable) { return nil }
        let remedy =
            "add ReadWritePaths=\(directory)" + (directory.hasPrefix("/var/lib/") ? ", or StateDirectory=\(directory.dropFirst(9))" : "")
        if unit.isOn("PrivateTmp"), isIn(["/tmp", "/var/tmp"]) {
            return Obstacle(
                reason: "with PrivateTmp=yes its files there are hidden from others, and a stop removes them",
                remedy: "use another directory, such as the one of StateDirectory or RuntimeDirectory", isHidden: true)
        }
        if let home = unit["ProtectHome"], !["no", "false", "off", "0"].contains(home), isIn(["/home", "/root", "/run/user"]) {
            return Obstacle(reason: "ProtectHome=\(home)", remedy: "use a directory below /var/lib", isHidden: false)
        }
        let readOnly =
            switch unit["ProtectSystem"] {
            case "strict": ["/"]
            case "full": ["/usr", "/boot", "/efi", "/etc"]
            case let value? where !["no", "false", "off", "0"].contains(value): ["/usr", "/boot", "/efi"]
            default: [String]()
            }
        guard isIn(readOnly), !isIn(["/dev", "/proc", "/sys"]) else { return nil }
        return Obstacle(reason: "ProtectSystem=\(unit["ProtectSystem"] ?? "")", remedy: remedy, isHidden: false)
    }
}
