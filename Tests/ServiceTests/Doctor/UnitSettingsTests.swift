import POSIX
import TestSupport
import Testing

@testable import Service

@Suite struct UnitSettingsTests {
    /// The values in the forms that `systemctl show` of systemd 249 to 255 prints.
    private static let shown = """
        Type=simple
        TimeoutStopUSec=1min 30s
        MainPID=9178
        ExecStart={ path=/usr/bin/deskgate ; argv[]=/usr/bin/deskgate serve --config /etc/deskgate/config.json ; ignore_errors=no }
        MemoryHigh=infinity
        MemoryMax=50331648
        TasksMax=4915
        LimitNOFILE=524288
        User=deskgate
        AmbientCapabilities=cap_net_bind_service
        CapabilityBoundingSet=cap_chown cap_net_bind_service cap_sys_admin
        ReadWritePaths=-/srv/chat /srv/sockets
        StateDirectory=deskgate
        PrivateTmp=yes
        ProtectSystem=strict
        LoadState=loaded

        """

    @Test func `parses the output of systemctl`() {
        let unit = UnitSettings(shown: Self.shown, as: "it")
        #expect(unit.seconds("TimeoutStopUSec") == 90)
        #expect(unit.seconds("None") == nil)
        #expect(unit.number("MemoryMax") == 50_331_648)
        #expect(unit.number("MemoryHigh") == nil)
        #expect(unit.number("LimitNOFILE") == 524_288)
        #expect(unit.words("ReadWritePaths") == ["/srv/chat", "/srv/sockets"])
        #expect(unit.hasCapability("cap_net_bind_service", in: "AmbientCapabilities"))
        #expect(unit.isOn("PrivateTmp"))
        #expect(!unit.isOn("PrivateUsers"))
        #expect(unit["LoadState"] == "loaded")
    }

    /// The unit in this repository, and other forms that systemd.syntax(7) allows.
    @Test func `parses a unit file`() throws {
        let text = String(decoding: try File.read("\(packageRoot)/deploy/deskgate.service", limit: 1 << 16).bytes, as: UTF8.self)
        let own = UnitSettings(file: text, as: "it")
        #expect(own["User"] == "deskgate")
        #expect(own["ProtectSystem"] == "strict")
        #expect(own["StateDirectory"] == "deskgate")
        #expect(own.number("LimitNOFILE") == 65_536)
        #expect(own.seconds("TimeoutStopUSec") == 30)
        #expect(own.number("MemoryMax") == nil)
        #expect(own.hasCapability("cap_net_bind_service", in: "AmbientCapabilities"))
        #expect(own["WantedBy"] == nil, "of another section")
        let other = UnitSettings(
            file: """
                ; a comment
                [Service]
                ReadWritePaths=/a
                ReadWritePaths = /b \\
                    /c
                StateDirectory=x
                StateDirectory=
                MemoryMax=1536M
                LimitNOFILE=1024:4K
                TimeoutStopSec=2min
                CapabilityBoundingSet=~CAP_NET_BIND_SERVICE CAP_SYS_ADMIN
                """, as: "it")
        #expect(other.words("ReadWritePaths") == ["/a", "/b", "/c"])
        #expect(other["StateDirectory"] == nil)
        #expect(other.number("MemoryMax") == 1536 << 20)
        #expect(other.number("LimitNOFILE") == 4096)
        #expect(other.seconds("TimeoutStopUSec") == 120)
        #expect(!other.hasCapability("cap_net_bind_service", in: "CapabilityBoundingSet"))
        #expect(other.hasCapability("cap_chown", in: "CapabilityBoundingSet"))
    }

    @Test(
        arguments: [
            ("5s", 5.0), ("90", 90), ("1min 30s", 90), ("1h 1min", 3660), ("500ms", 0.5), ("infinity", nil), ("", nil), ("soon", nil),
        ] as [(String, Double?)])
    func `parses durations`(_ text: String, _ seconds: Double?) {
        #expect(UnitSettings(shown: "TimeoutStopUSec=\(text)", as: "it").seconds("TimeoutStopUSec") == seconds)
    }
}
