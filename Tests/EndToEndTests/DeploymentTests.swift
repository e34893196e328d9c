import TestSupport
import Testing

/// The files in `deploy/` and for containers.
@Suite struct DeploymentTests {
    private let unit = packageRoot + "/deploy/deskgate.service"

    /// What is left is the network, the user's own namespace, and ports below 1024.
    @Test func `the systemd unit restricts the service`() throws {
        let evaluated = try Command("systemd-analyze", "security", "--offline=true", "--threshold=15", unit)
        #expect(evaluated.status == 0, "\(evaluated.output)")
    }

    @Test(arguments: [
        "RestartPreventExitStatus=2", "LimitCORE=0", "ExecReload=/usr/bin/deskgate reload --pid $MAINPID --timeout 15", "Type=notify",
        "NotifyAccess=main",
        "WatchdogSec=30", "ConditionPathExists=/etc/deskgate/config.json",
    ])
    func `the unit has the lines that the service needs`(_ line: String) throws {
        #expect(try Command("grep", "-cFx", line, unit).output == "1\n")
    }

    /// A signal alone would succeed whatever comes of it.
    @Test func `unit reloads by nothing else`() throws {
        #expect(try Command("grep", "-c", "^ExecReload=", unit).output == "1\n")
    }

    /// All that the image copies is let through, and nothing else is sent to who builds it.
    @Test func `build context is what the image copies`() throws {
        let copied = try Command("sed", "-n", "s/^COPY \\([A-Z][^ ]*\\) .*/!\\1/p", packageRoot + "/Dockerfile").output
        let allowed = try Command("grep", "^!", packageRoot + "/.dockerignore").output
        #expect(copied == allowed)
        #expect(try Command("grep", "-cFx", "*", packageRoot + "/.dockerignore").output == "1\n")
    }
}
