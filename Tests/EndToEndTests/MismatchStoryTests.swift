import JSON
import Simulators
import TestSupport
import Testing

/// Tokens that a provider rejects as another app's: invented tokens affect no other user, and wrong settings delete no token.
@Suite struct MismatchStoryTests {
    /// The notifiers, with the type of device that each serves.
    private static let notifiers = PushSite.routes.members.compactMap { member in member.value.text.map { ($0, member.key) } }

    private let site: PushSite

    init() throws {
        site = try PushSite()
    }

    /// A push token in a form that all providers accept.
    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.utf8.count) + digits
    }

    private func post(_ comment: Int64, to user: String, _ server: RunningServer) throws {
        #expect(try WebhookSite.send(WebhookSite.body(comment, user: user), SocketClient(server.publicAddress)).status == 200)
    }

    private func waitForReason(_ reason: String, count: Int, notifier: String, server: RunningServer) -> Bool {
        eventually {
            let answer = try? PushSite.get(server.adminAddress, "/v1/deliveries?notifier=\(notifier)&limit=100")
            return answer.map { $0.split(separator: #""reason":"\#(reason)""#, omittingEmptySubsequences: false).count - 1 == count }
                == true
        }
    }

    /// Registers people with one device each.
    private func register(_ people: ClosedRange<Int>, type: String, _ server: RunningServer) throws {
        for person in people { try site.register(server, user: "user-\(person)", type: type, token: token(person)) }
    }

    private func tokens(_ server: RunningServer) throws -> Int {
        let answer = try PushSite.get(server.adminAddress, "/v1/push-tokens?app_id=\(Workspace.app)&limit=100")
        return answer.split(separator: #""device_id""#, omittingEmptySubsequences: false).count - 1
    }

    private static let reasons = [
        "apns": "device_token_not_for_topic", "fcm": "sender_id_mismatch", "rustore": "not_found", "hms": "hms_80300007",
    ]

    @Test(arguments: notifiers)
    func `sixty junk tokens delay no other user`(_ notifier: String, _ type: String) throws {
        let server = try RunningServer(site.workspace)
        for person in 1...3 {
            let key = try site.workspace.key(user: "user-\(person)")
            for number in 1...20 {
                let token = token(person * 100 + number)
                site.simulators.devices[token] = SimulatedDevice(refusal: .mismatch)
                try site.register(server, user: "user-\(person)", key: key, device: "junk-\(number)", type: type, token: token)
            }
        }
        try site.register(server, user: "victim", type: type)
        for person in 1...3 { try post(Int64(person), to: "user-\(person)", server) }
        #expect(waitForReason(try #require(Self.reasons[notifier]), count: 60, notifier: notifier, server: server))
        try post(4, to: "victim", server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(site.simulators.recorder.pushes.map(\.token) == [PushSite.token])
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(!log.contains("a notifier is paused"))
    }

    @Test(arguments: notifiers)
    func `wrong settings pause the notifier and delete no token`(_ notifier: String, _ type: String) throws {
        let server = try RunningServer(site.workspace)
        try register(1...12, type: type, server)
        for person in 1...12 { try post(Int64(person), to: "user-\(person)", server) }
        #expect(site.simulators.recorder.wait(for: 12, milliseconds: WaitLimit.milliseconds))
        #expect(waitForReason(notifier == "hms" ? "hms_80000000" : "status_200", count: 12, notifier: notifier, server: server))
        for person in 1...12 { site.simulators.devices[token(person)] = SimulatedDevice(refusal: .mismatch) }
        for person in 1...12 { try post(Int64(100 + person), to: "user-\(person)", server) }
        let off = try jsonObject(server.process.errors.line(containing: "a notifier is paused").text)
        #expect(off.string("notifier") == notifier)
        #expect(off.string("reason") == Self.reasons[notifier])
        #expect(off.string("remedy")?.contains("many devices belong to another") == true)
        #expect(try tokens(server) == 12)
        for person in 1...12 { site.simulators.devices[token(person)] = nil }
        server.process.send(1)
        #expect(site.simulators.recorder.wait(for: 13, milliseconds: WaitLimit.milliseconds), "somebody has mended it")
        #expect(try tokens(server) == 12)
    }

    /// Firebase lacks a credential for one platform: each push to it fails, the log reports it once, and the others arrive.
    @Test func `an unreachable device type stops no other`() throws {
        let server = try RunningServer(site.workspace)
        try register(1...3, type: "android", server)
        for person in 1...2 {
            site.simulators.faults.add(Fault(.answer(.init(401, "THIRD_PARTY_AUTH_ERROR")), at: .fcm, token: token(person), times: nil))
            try post(Int64(person), to: "user-\(person)", server)
        }
        #expect(waitForReason("misconfigured_for_device_type", count: 2, notifier: "fcm", server: server))
        try post(3, to: "user-3", server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(site.simulators.recorder.pushes.map(\.token) == [token(3)])
        #expect(try tokens(server) == 3)
        #expect(try server.stop() == .exit(0))
        let lines = try server.process.errors.text().split(separator: "\n").filter { $0.contains("misconfigured_for_device_type") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("give Firebase the credentials of the other platform") })
    }

    /// No token was ever accepted, so it is unknown whether the settings or the tokens are at fault.
    @Test(arguments: notifiers)
    func `wrong settings from the start are reported and delete no token`(_ notifier: String, _ type: String) throws {
        let server = try RunningServer(site.workspace)
        try register(1...12, type: type, server)
        for person in 1...12 {
            site.simulators.devices[token(person)] = SimulatedDevice(refusal: .mismatch)
            try post(Int64(person), to: "user-\(person)", server)
        }
        let reason = try #require(Self.reasons[notifier])
        #expect(waitForReason(reason, count: 12, notifier: notifier, server: server))
        let line = try jsonObject(server.process.errors.line(containing: "deliveries wait because of their devices").text)
        #expect(line.string("notifier") == notifier)
        #expect(line.string("reasons")?.hasPrefix(reason) == true)
        #expect(line.string("remedy")?.contains("many devices belong to another") == true)
        #expect(try tokens(server) == 12)
        let doubt = "The settings of \(notifier) may be wrong: "
        #expect(eventually { (try? PushSite.get(server.adminAddress, "/v1/status"))?.contains(doubt) == true })
        // One delivered push proves the settings.
        try site.register(server, user: "victim", type: type)
        try post(13, to: "victim", server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(eventually { (try? PushSite.get(server.adminAddress, "/v1/status"))?.contains(doubt) == false })
    }
}
