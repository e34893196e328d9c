import HTTPServer
import Observability
import POSIX
import TestSupport
import Testing

@testable import Configuration
@testable import Service

@Suite struct UnitCheckTests {
    private static let mine = """
        LoadState=loaded
        Type=simple
        User=deskgate
        MainPID=412
        ProtectSystem=strict
        StateDirectory=deskgate
        TimeoutStopUSec=30s
        AmbientCapabilities=cap_net_bind_service
        CapabilityBoundingSet=cap_net_bind_service
        """

    private let root: TemporaryDirectory
    private let directory: ConfigurationDirectory

    init() throws {
        root = try TemporaryDirectory()
        directory = try ConfigurationDirectory()
    }

    private func examine(
        _ shown: String?, members: String = #""store":{"path":"/var/lib/deskgate/deskgate.db"}"#, unit: String = Doctor.packagedUnit
    ) throws -> [DoctorFinding] {
        let log = try TestLog(in: root, level: .error)
        let doctor = Doctor(file: directory.file, logger: log.logger, unit: unit, places: try places(shown))
        return doctor.supervision(of: try directory.configuration(members: members))
    }

    /// - Parameter shown: the output of `systemctl show`; nil when it fails, as without systemd.
    private func places(_ shown: String?) throws -> SystemPaths {
        try root.write("shown", shown ?? "")
        try root.write("script", "#!/bin/sh\n[ \"$1\" = show ] && cat '\(root.path("shown"))'\nexit \(shown == nil ? 1 : 0)\n")
        // Another process writes the program. A program that this process has open for writing is also open in programs that other tests
        // start at the same time, and cannot be run until they close it (ETXTBSY in execve(2)).
        try #require(try Command("install", "-m", "755", root.path("script"), root.path("systemctl")).status == 0)
        return SystemPaths(root: root.path, systemctl: root.path("systemctl"))
    }

    @Test(
        arguments: [
            (mine, 412), (mine.replacing("412", with: "0"), nil), (mine.replacing("loaded", with: "not-found"), nil), (nil, nil), ("", nil),
        ] as [(String?, Int32?)])
    func `the main process must support reload`(shown: String?, process: Int32?) throws {
        #expect(try places(shown).mainProcess(of: "deskgate.service") == process)
    }

    private func messages(_ findings: [DoctorFinding], _ subject: DoctorFinding.Subject) -> [String] {
        findings.filter { $0.subject == subject && $0.state != .ok }.map(\.message)
    }

    @Test func `a matching unit is ok`() throws {
        try root.write("proc/412/limits", Self.limits(hard: "65536"))
        let findings = try examine(Self.mine)
        #expect(
            findings == [
                DoctorFinding(
                    .limits, state: .ok,
                    message: "65536 open files are allowed in the process 412 of systemd's unit deskgate.service; 11064 are wanted"),
                DoctorFinding(.unit, state: .ok, message: "systemd's unit deskgate.service fits the configuration"),
            ])
    }

    @Test(arguments: [nil, "LoadState=not-found"])
    func `a missing unit is reported, and a named one that is missing is a warning`(_ shown: String?) throws {
        let packaged = try #require(try examine(shown).last)
        #expect(packaged.state == .ok)
        let message = "not checked: systemd knows no unit deskgate.service, or does not run, and there is no file of that name"
        #expect(packaged == DoctorFinding(.unit, state: .ok, message: message))
        let named = try #require(try examine(shown, unit: "nosuch.service").last)
        #expect(named.state == .warning)
        #expect(named.message.hasPrefix("not checked: systemd knows no unit nosuch.service, or does not run, "))
        #expect(named.message.hasSuffix("; correct the name (--unit)"))
    }

    @Test func `the limit of the running process is used`() throws {
        try root.write("proc/412/limits", Self.limits(hard: "4096"))
        #expect(try messages(examine(Self.mine), .limits).first?.hasPrefix("4096 open files are allowed in the process 412 of ") == true)
        let stopped = Self.mine.replacing("MainPID=412", with: "MainPID=0\nLimitNOFILE=1024")
        #expect(try messages(examine(stopped), .limits).first?.hasPrefix("1024 open files are allowed by systemd's unit ") == true)
        try root.write("proc/412/limits", Self.limits(hard: "unlimited"))
        #expect(try messages(examine(Self.mine), .limits) == [])
    }

    @Test func `the unit file is read while systemd does not run`() throws {
        let text = String(decoding: try File.read("\(packageRoot)/deploy/deskgate.service", limit: 1 << 16).bytes, as: UTF8.self)
        try root.write("etc/systemd/system/deskgate.service", text)
        // The unit names another configuration than the test's.
        let warnings = try messages(examine(nil), .unit)
        #expect(warnings.count == 1 && warnings[0].contains("the unit uses /etc/deskgate/config.json, but "))
        try root.write("etc/systemd/system/deskgate.service", text.replacing("/etc/deskgate/config.json", with: directory.file))
        let findings = try examine(nil)
        #expect(findings.last == DoctorFinding(.unit, state: .ok, message: "/etc/systemd/system/deskgate.service fits the configuration"))
        #expect(findings.first?.message == "65536 open files are allowed by /etc/systemd/system/deskgate.service; 11064 are wanted")
    }

    @Test(arguments: [
        ("ProtectSystem=strict", "StateDirectory=deskgate", "/var/lib/deskgate", nil),
        ("ProtectSystem=strict", "ReadWritePaths=/var/lib", "/var/lib/deskgate", nil),
        ("ProtectSystem=strict", "RuntimeDirectory=chat:link", "/run/chat", nil),
        ("ProtectSystem=strict", "StateDirectory=desk", "/var/lib/deskgate", "ProtectSystem=strict; add ReadWritePaths="),
        ("ProtectSystem=full", "", "/etc/deskgate", "ProtectSystem=full; add ReadWritePaths=/etc/deskgate"),
        ("ProtectSystem=full", "", "/srv/deskgate", nil), ("ProtectSystem=yes", "", "/usr/share/x", "ProtectSystem=yes; "),
        ("ProtectSystem=no", "", "/usr/share/x", nil),
        ("ProtectHome=yes", "", "/home/ann/x", "ProtectHome=yes; use a directory below /var/lib"),
        ("ProtectHome=no", "", "/home/ann/x", nil),
        ("ProtectSystem=strict\nPrivateTmp=yes", "", "/tmp/x", "with PrivateTmp=yes its files there are hidden from others"),
    ])
    func pathsThatTheUnitKeepsFromTheServiceAreFound(_ setting: String, paths: String, place: String, found: String?) throws {
        let shown = "LoadState=loaded\nUser=deskgate\n\(setting)\n\(paths)"
        for (key, members) in [
            ("store.path", #""store":{"path":"\#(place)/deskgate.db"}"#),
            ("listen.unix", #""store":{"type":"memory"},"listen":{"unix":"\#(place)/p.sock"}"#),
        ] {
            let unit = try messages(examine(shown, members: members), .unit)
            guard let found else {
                #expect(unit == [])
                continue
            }
            #expect(unit.count == 1 && unit[0].contains("the service cannot write into \(place) (\(key)): \(found)"), "\(unit)")
        }
    }

    @Test(arguments: [
        ("TimeoutStopUSec=20s", "it is killed 20 s after a stop, but shutdown.drain_seconds is 20; set TimeoutStopSec=25 or more"),
        ("TimeoutStopUSec=25s", nil), ("TimeoutStopUSec=infinity", nil), ("", nil),
        ("Type=forking", "Type=forking waits for something that the service does not do; set Type=notify"), ("Type=notify", nil),
        ("Type=exec", nil),
    ])
    func `the start and stop settings must match`(_ setting: String, _ found: String?) throws {
        #expect(
            try messages(examine("LoadState=loaded\n\(setting)"), .unit) == (found.map { ["systemd's unit deskgate.service: \($0)"] } ?? [])
        )
    }

    @Test(arguments: [
        ("User=deskgate\nNoNewPrivileges=yes", "AmbientCapabilities=CAP_NET_BIND_SERVICE, which"), ("User=root", nil), ("", nil),
        ("User=deskgate\nAmbientCapabilities=cap_net_bind_service", nil),
        ("User=deskgate\nAmbientCapabilities=cap_net_bind_service\nCapabilityBoundingSet=cap_chown", "add it to CapabilityBoundingSet"),
        ("User=deskgate\nAmbientCapabilities=cap_net_bind_service\nPrivateUsers=yes", "remove PrivateUsers"),
    ])
    func `ports below 1024 need a capability`(_ settings: String, _ found: String?) throws {
        let members = #""listen":{"port":443},"store":{"type":"memory"}"#
        let unit = try messages(examine("LoadState=loaded\n\(settings)", members: members), .unit)
        #expect(unit.count == (found == nil ? 0 : 1))
        #expect(unit.allSatisfy { $0.contains("443") && $0.contains(found ?? "") })
        try root.write("proc/sys/net/ipv4/ip_unprivileged_port_start", "80\n")
        #expect(try messages(examine("LoadState=loaded\n\(settings)", members: members), .unit) == [])
    }

    /// In a container there is no unit; its control group has the limits.
    @Test func `control groups are evaluated without systemd`() throws {
        try root.write("proc/self/cgroup", "0::/pod/box\n")
        #expect(try messages(examine(nil), .limits).filter { $0.contains("MiB") || $0.contains("threads") } == [])
        try root.write("sys/fs/cgroup/pod/box/memory.max", "max\n")
        try root.write("sys/fs/cgroup/pod/memory.max", "104857600\n")
        try root.write("sys/fs/cgroup/pod/box/pids.max", "20\n")
        try root.write("sys/fs/cgroup/pod/box/pids.current", "19\n")
        let found = try messages(examine(nil), .limits)
        #expect(found.contains { $0.hasPrefix("100 MiB of memory are allowed (memory.max of the control group /pod), and ") })
        #expect(
            found.contains { $0.hasPrefix("20 threads are allowed (pids.max of the control group /pod/box), of which 19 are in use, but ") }
        )
        try root.write("sys/fs/cgroup/pod/memory.max", "1073741824\n")
        try root.write("sys/fs/cgroup/pod/box/memory.current", "1063741824\n")
        try root.write("sys/fs/cgroup/pod/box/pids.max", "200\n")
        #expect(try messages(examine(nil), .limits).contains { $0.hasPrefix("1014 of 1024 MiB of memory are in use (memory.max of ") })
        #expect(try messages(examine(nil), .unit) == [])
    }

    @Test func `the memory limit of a stopped unit is used`() throws {
        let shown = "LoadState=loaded\nMainPID=0\nMemoryMax=1073741824\nMemoryHigh=134217728\nTasksMax=10"
        let found = try messages(examine(shown), .limits)
        #expect(found.contains { $0.hasPrefix("128 MiB of memory are allowed (MemoryHigh of systemd's unit deskgate.service), and ") })
        #expect(
            found.contains { $0.hasPrefix("10 threads are allowed (TasksMax of systemd's unit deskgate.service), but 64 may be needed") })
    }

    @Test func `an unknown unit is treated as missing`() throws {
        #expect(try messages(examine("LoadState=not-found\nType=forking"), .unit) == [])
    }

    private static func limits(hard: String) -> String {
        """
        Limit                     Soft Limit           Hard Limit           Units     
        Max processes             96365                96365                processes 
        Max open files            1024                 \(hard)                files     
        Max locked memory         8388608              8388608              bytes     

        """
    }
}
