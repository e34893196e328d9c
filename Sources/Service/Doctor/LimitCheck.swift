internal import Configuration
internal import Core
internal import HTTPServer
internal import POSIX

/// Checks limits that a supervisor, a container or a shell sets.
struct LimitCheck: Sendable {
    /// The memory of the service without connections, in bytes.
    private static let baseBytes: UInt64 = 64 << 20
    /// The memory of a connection, including the part of its body that no other limit covers.
    private static let connectionBytes: UInt64 = 20 << 10
    /// The number of threads and other tasks that systemd counts, with a reserve for many notifiers.
    private static let wantedTasks: UInt64 = 64

    let configuration: Configuration
    /// The settings of the unit; nil if neither systemd nor a unit file has them.
    let unit: UnitSettings?
    let places: SystemPaths

    /// The id of the service's main process according to systemd; nil when the service is not running or the id is unknown.
    private var service: String? { unit?["MainPID"].flatMap { $0 == "0" ? nil : $0 } }

    /// Checks whether the limit of open files suffices for all allowed connections, from callers and to other hosts. Uses the limit of the
    /// running service, otherwise of the unit, otherwise of this shell.
    func openFiles() -> DoctorFinding {
        let wanted = configuration.wantedOpenFiles
        let (limit, place) = openFileLimit
        if limit >= wanted {
            return DoctorFinding(.limits, state: .ok, message: "\(limit) open files are allowed \(place); \(wanted) are wanted")
        }
        let message =
            "\(limit) open files are allowed \(place), but \(wanted) are wanted: \(configuration.connectionsOfCallers) for max_connections "
            + "and \(configuration.connectionsToOthers) for connections to others; raise ulimit -n or LimitNOFILE of the unit"
        return DoctorFinding(.limits, state: .warning, message: message)
    }

    private var openFileLimit: (limit: Int, place: String) {
        if let service, let limits = places.text("/proc/\(service)/limits"), let hard = Self.openFiles(in: limits) {
            return (hard, "in the process \(service) of \(unit?.source ?? "")")
        }
        if let unit, let limit = unit.number("LimitNOFILE") { return (Int(clamping: limit), "by \(unit.source)") }
        return (Process.raiseOpenFileLimit(), "here")
    }

    /// Returns the hard limit, to which the service raises its own limit (proc(5)).
    private static func openFiles(in limits: String) -> Int? {
        guard let line = limits.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") }) else { return nil }
        let words = line.split(separator: " ")
        guard words.count >= 5 else { return nil }
        return words[4] == "unlimited" ? .max : Int(words[4])
    }

    /// Checks whether the limits of memory and tasks suffice. Uses the control groups of the service, otherwise of this container,
    /// otherwise the unit.
    func controlGroup() -> [DoctorFinding] {
        let group = ControlGroup(places, process: service ?? "self")
        return [memory(group), tasks(group)].compactMap(\.self)
    }

    private func memory(_ group: ControlGroup) -> DoctorFinding? {
        let wanted = wantedBytes
        let limits = [("memory.max", "MemoryMax"), ("memory.high", "MemoryHigh")].compactMap { file, setting -> (UInt64, String)? in
            if let found = group.least(file) { return (found.value, "\(file) of \(found.place)") }
            if let unit, let bytes = unit.number(setting) { return (bytes, "\(setting) of \(unit.source)") }
            return nil
        }
        guard let (bytes, place) = limits.min(by: { $0.0 < $1.0 }) else { return nil }
        if bytes < wanted {
            let message =
                "\(bytes >> 20) MiB of memory are allowed (\(place)), and max_connections and bodies_megabytes may take \(wanted >> 20) MiB: "
                + "the kernel would throttle or kill the service; raise the limit or lower these keys"
            return DoctorFinding(.limits, state: .warning, message: message)
        }
        if let used = group.value("memory.current"), used > bytes / 10 * 9 {
            return DoctorFinding(
                .limits, state: .warning, message: "\(used >> 20) of \(bytes >> 20) MiB of memory are in use (\(place)); raise the limit")
        }
        return DoctorFinding(
            .limits, state: .ok, message: "\(bytes >> 20) MiB of memory are allowed (\(place)); up to \(wanted >> 20) MiB are wanted")
    }

    private var wantedBytes: UInt64 {
        let listeners = [configuration.listen.settings, configuration.admin.listener.settings]
        let connections = listeners.reduce(0) { $0 + UInt64($1.connectionLimit) }
        return Self.baseBytes + UInt64(configuration.listen.settings.bodyMemory) + connections * Self.connectionBytes
    }

    private func tasks(_ group: ControlGroup) -> DoctorFinding? {
        let found = group.least("pids.max").map { ($0.value, "pids.max of \($0.place)") }
        guard let (limit, place) = found ?? unit.flatMap({ unit in unit.number("TasksMax").map { ($0, "TasksMax of \(unit.source)") } })
        else { return nil }
        let used = group.value("pids.current") ?? 0
        guard limit < Self.wantedTasks || used > limit / 10 * 9 else { return nil }
        let message =
            "\(limit) threads are allowed (\(place))\(used > 0 ? ", of which \(used) are in use" : ""), but \(Self.wantedTasks) may be needed; raise the limit"
        return DoctorFinding(.limits, state: .warning, message: message)
    }
}

/// The control group of a process and its ancestors (cgroups(7), version 2).
struct ControlGroup {
    private static let mount = "/sys/fs/cgroup"

    private let places: SystemPaths
    /// The groups from the process's own group up to the root, which has no limits.
    private let groups: [String]

    init(_ places: SystemPaths, process: String) {
        self.places = places
        let lines = places.text("/proc/\(process)/cgroup")?.split(separator: "\n") ?? []
        let own = lines.first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
        groups = own.map { Path.ancestors(of: $0) } ?? []
    }

    /// Returns the lowest limit of the process's own group and its ancestors; nil when there is none.
    func least(_ file: String) -> (value: UInt64, place: String)? {
        groups.compactMap { group in number(group, file).map { ($0, "the control group \(group)") } }.min { $0.0 < $1.0 }
    }

    /// Returns a value of the process's own group.
    func value(_ file: String) -> UInt64? { groups.first.flatMap { number($0, file) } }

    /// Returns the number in a group's file; nil for `max`.
    private func number(_ group: String, _ file: String) -> UInt64? {
        let path = group == "/" ? "\(Self.mount)/\(file)" : "\(Self.mount)\(group)/\(file)"
        return places.text(path)?.split(separator: "\n").first.flatMap { UInt64($0) }
    }
}
