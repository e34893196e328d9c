import TestSupport
import Testing

/// The files in `deploy/` and for containers.
@Suite struct DeploymentTests {
    private let unit = packageRoot + "/deploy/deskgate.service"

    /// Permitted are only the network, the user's own namespace, and ports below 1024.
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

    /// A signal alone would succeed for any result of the reload.
    @Test func `the unit reloads only with the command`() throws {
        #expect(try Command("grep", "-c", "^ExecReload=", unit).output == "1\n")
    }

    /// The build context contains all files that the image copies, and no others.
    @Test func `the build context equals the image's files`() throws {
        let copied = try Command("sed", "-n", "s/^COPY \\([A-Z][^ ]*\\) .*/!\\1/p", packageRoot + "/Dockerfile").output
        let allowed = try Command("grep", "^!", packageRoot + "/.dockerignore").output
        #expect(copied == allowed)
        #expect(try Command("grep", "-cFx", "*", packageRoot + "/.dockerignore").output == "1\n")
    }
}
