import JSON
import Simulators
import TestSupport
import Testing

/// `check --live`, `doctor` and `push test` with a running service, which tests its own notifiers.
@Suite struct ServiceTrialTests {
    private let site: PushSite
    private let adminPort: UInt16
    private let server: RunningServer

    init() throws {
        site = try PushSite()
        adminPort = try freePort()
        try site.configure(adminPort: adminPort)
        server = try RunningServer(site.workspace)
    }

    private func checkLive(_ file: String? = nil) throws -> Deskgate.Result {
        try Deskgate.run("check", "--config", file ?? site.workspace.configuration, "--live")
    }

    private func pushTest() throws -> Deskgate.Result {
        try Deskgate.run(
            "push", "test", "--config", site.workspace.configuration, "--notifier", "apns", "--token", PushSite.token, "--title", "Ann",
            "--author", "anna")
    }

    /// The simulated APNs accepts three provider tokens in 20 minutes.
    @Test func `commands mint no other provider token`() throws {
        for _ in 0..<4 {
            let result = try checkLive()
            #expect(result.code == 0, "\(result.output)")
            #expect(result.output.contains("\napns (apns): good; the topic was not judged\n"))
        }
        let pushed = try pushTest()
        #expect(pushed.output == "delivered: apns has handed it to the provider\n")
        #expect(eventually { site.simulators.recorder.pushes.last?.title == "Ann" })
        let doctor = try Deskgate.run("doctor", "--config", site.workspace.configuration)
        #expect(doctor.output.contains("apns (apns) accepts the credential"), "\(doctor.output)")
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        let audit = log.split(separator: "\n").first { $0.contains(#""action":"notifiers.push""#) }
        #expect(audit?.contains(#""author":"anna""#) == true)
        #expect(!log.contains(PushSite.token))
    }

    @Test func `a notifier that is not reloaded is tested as in the file`() throws {
        try site.configure(["apns": ["key_id": "WRONGKEYID"]], adminPort: adminPort)
        let result = try checkLive()
        #expect(result.code == 2)
        #expect(result.output.contains("\napns (apns): bad: invalid_provider_token: "))
        #expect(result.output.contains("\nfcm (fcm): good\n"))
        #expect(try pushTest().output.hasPrefix("rejected: invalid_provider_token: "))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `another file is tested unchanged`() throws {
        let workspace = site.workspace
        let inForce = try workspace.read("config.json")
        try site.configure(["apns": ["key_id": "WRONGKEYID"]], adminPort: adminPort)
        try workspace.write("other.json", try workspace.read("config.json"))
        try workspace.write("config.json", inForce)
        #expect(try checkLive().code == 0)
        #expect(try checkLive(workspace.directory.path("other.json")).code == 2)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `without the service the command tests by itself`() throws {
        #expect(try server.stop() == .exit(0))
        #expect(try checkLive().code == 0)
        #expect(try pushTest().code == 0)
    }
}
