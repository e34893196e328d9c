package import Configuration
package import Core
internal import POSIX
internal import Time

struct MachineCheck: Sendable {
    /// The earliest plausible time of the clock, 2026-01-01.
    private static let earliest: UnixSeconds = 1_767_225_600
    private static let tolerance: UInt64 = 60

    let clocks: Clocks

    /// Checks whether the clock is plausible and synchronized.
    func clock() -> DoctorFinding {
        let now = clocks.unixSeconds()
        let time = RFC3339.text(now.milliseconds)
        if now < Self.earliest {
            return DoctorFinding(
                .clock, state: .problem, message: "the clock shows \(time), which is past; set it, and run timedatectl set-ntp true")
        }
        switch Machine.isClockSynchronised {
        case true?: return DoctorFinding(.clock, state: .ok, message: "the clock is synchronised and shows \(time)")
        case false?:
            return DoctorFinding(
                .clock, state: .warning,
                message:
                    "the clock is not synchronised, and shows \(time): keys expire early or late; run timedatectl set-ntp true, or chrony")
        case nil:
            return DoctorFinding(
                .clock, state: .ok, message: "the clock shows \(time); the kernel does not report whether it is synchronised")
        }
    }

    /// Checks whether the clock is behind the modification times of the store's files, because it was set back or was ahead earlier.
    func files(_ store: Configuration.Store) -> [DoctorFinding] {
        guard case .sqlite(let path) = store.kind else { return [] }
        let now = clocks.unixSeconds().rawValue
        let newest = [path, "\(path)-wal"].compactMap { try? FileSystem.modified($0) }.max()
        guard let newest, newest > now + Self.tolerance else { return [] }
        let message =
            "the store was written \(newest - now) s after now: the clock was set back, or was ahead; compare it with another machine's"
        return [DoctorFinding(.clock, state: .problem, message: message)]
    }

    /// Checks whether the store's directory is on a disk, and has free space.
    func disk(_ configuration: Configuration) -> [DoctorFinding] {
        guard case .sqlite(let path) = configuration.store.kind else { return [] }
        let directory = Path.directory(of: path)
        var findings: [DoctorFinding] = []
        if Machine.isInMemory(directory) {
            findings.append(
                DoctorFinding(
                    .limits, state: .warning,
                    message: "\(directory) is in memory: a restart of the machine loses the store; give a path on a disk"))
        }
        guard let free = try? FileSystem.freeBytes(at: directory) else { return findings }
        return findings + [configuration.store.room(freeBytes: free, in: directory, configuration.operators.thresholds)]
    }

    /// Checks whether a host name resolves to an address.
    /// - Parameter path: the configuration key that contains the host.
    func resolve(_ host: String, for path: String) -> DoctorFinding {
        guard let problem = Machine.problem(resolving: host) else {
            return DoctorFinding(.dns, state: .ok, message: "\(host) has an address")
        }
        let remedy = "check the name, the name servers in /etc/resolv.conf and the firewall"
        return DoctorFinding(.dns, state: .problem, message: "\(host) (\(path)) has no address: \(problem); \(remedy)")
    }
}

extension Configuration.Store {
    /// Returns the finding about the free space on the store's disk.
    /// - Parameters:
    ///   - freeBytes: the number of bytes that an unprivileged user can still write.
    ///   - directory: the directory of the store.
    package func room(freeBytes: UInt64, in directory: String, _ thresholds: OperatorThresholds) -> DoctorFinding {
        let state: DoctorFinding.State =
            freeBytes < UInt64(minimumFreeMegabytes) * 1_000_000
            ? .problem : DiskRule.status(freeBytes: freeBytes, thresholds) == .holds ? .warning : .ok
        let bounds =
            "events are refused below \(minimumFreeMegabytes) (store.minimum_free_megabytes), and operators are notified below "
            + "\(thresholds.diskFreeMegabytes) (operators.thresholds.disk_free_megabytes)"
        let room = "\(freeBytes / 1_000_000) MB are free in \(directory): \(bounds)"
        return DoctorFinding(.limits, state: state, message: state == .ok ? room : "\(room); make room")
    }
}
