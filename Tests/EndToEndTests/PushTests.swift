import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// From the registration of a push token to the push on the phone, with the whole program and the simulated providers.
@Suite struct PushTests {
    private let site: PushSite

    init() throws {
        site = try PushSite()
    }

    /// Waits until the delivery of a comment through a notifier is in a state.
    private func waitForState(_ state: String, of comment: Int, notifier: String, server: RunningServer) -> Bool {
        eventually {
            let answer = try? PushSite.get(server.adminAddress, "/v1/deliveries?comment_id=\(comment)&notifier=\(notifier)")
            return answer?.contains(#""state":"\#(state)""#) == true
        }
    }

    private func post(_ comment: Int64, _ server: RunningServer) throws {
        #expect(try WebhookSite.post(comment, SocketClient(server.publicAddress)) == "accepted")
    }

    @Test func `a comment reaches the phone`() throws {
        let server = try RunningServer(site.workspace)
        try site.register(server)
        try post(1, server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        let push = try #require(site.simulators.recorder.pushes.first)
        #expect(push.provider == .apns)
        #expect(push.token == PushSite.token)
        #expect(push.title == "Ann")
        #expect(push.body == WebhookSite.message)
        #expect(waitForState("delivered", of: 1, notifier: "apns", server: server))
        #expect(
            try PushSite.get(server.adminAddress, "/metrics").contains(#"deskgate_deliveries_total{notifier="apns",outcome="delivered""#))
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(!log.contains(PushSite.token))
    }

    @Test func `a token in upper case is the same device`() throws {
        let server = try RunningServer(site.workspace)
        try site.register(server, user: "former", token: PushSite.token.uppercased())
        try site.register(server, device: "device-2")
        #expect(
            try PushSite.get(server.adminAddress, "/v1/push-tokens?app_id=\(Workspace.app)&user_id=former").contains(#""push_tokens":[]"#))
        try post(1, server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(site.simulators.recorder.pushes.map(\.token) == [PushSite.token])
    }

    @Test func `a token that APNs cannot have issued is rejected at once`() throws {
        let server = try RunningServer(site.workspace)
        let (digits, half) = (PushSite.token, String(PushSite.token.prefix(8)))
        let descriptions = [
            "<\(stride(from: 0, to: 8, by: 1).map { _ in half }.joined(separator: " "))>", "<\(digits)>", "<>",
            "{length = 32, bytes = 0x\(half)5d3f0a97 \(half)5d3f0a97 ... \(half)5d3f0a97 }",
        ]
        let otherForms = [
            "0x\(digits)", "0X\(digits)", String(digits.dropLast()), "\(digits)0", " \(digits)", "\(digits) ", "\(digits):APA91b",
            digits.replacing("0", with: "o"), digits.replacing("5d", with: "5d "), digits.replacing("5d", with: "5d-"),
            String(repeating: "ab", count: 129), "(null)", "null", "undefined", "Optional(\"\(digits)\")", "32 bytes", "device-token",
            "XT6Km5FyV5dtFGdHiKSMnFDYRv2mu5RpEvsjgRzVkpY=",
        ]
        for token in descriptions + otherForms {
            let answer = try site.answer(to: token, server)
            #expect(answer.status == 400, "\(token)")
            #expect(answer.text.contains("token is not as expected: expected "))
        }
        for token in descriptions { #expect(try site.answer(to: token, server, type: "android").status == 400, "\(token)") }
        try site.register(server, device: "device-2", type: "android", token: "0x\(digits)")
        try site.register(server)
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(log.contains(#""result":"malformed","reason":"bad_token""#))
        for token in descriptions + otherForms where token.utf8.count > 20 { #expect(!log.contains(token)) }
    }

    @Test func `the environment that accepted a token is stored`() throws {
        site.simulators.devices[PushSite.token] = SimulatedDevice(provider: .apnsSandbox)
        let server = try RunningServer(site.workspace)
        try site.register(server)
        for comment in 1...2 as ClosedRange<Int64> {
            try post(comment, server)
            #expect(site.simulators.recorder.wait(for: Int(comment), milliseconds: WaitLimit.milliseconds))
            #expect(waitForState("delivered", of: Int(comment), notifier: "apns", server: server))
        }
        #expect(site.simulators.recorder.pushes.map(\.provider) == [.apnsSandbox, .apnsSandbox])
        #expect(site.simulators[.apns].requestCount == 1, "the other environment was asked once")
    }

    @Test func `an unregistered device is removed from the registry`() throws {
        site.simulators.faults.add(Fault(.answer(.init(410, "Unregistered")), at: .apns))
        let server = try RunningServer(site.workspace)
        try site.register(server)
        try post(1, server)
        #expect(waitForState("dead", of: 1, notifier: "apns", server: server))
        try post(2, server)
        #expect(
            eventually {
                let answer = try? PushSite.get(server.adminAddress, "/v1/deliveries?comment_id=2")
                return answer?.contains(#""state":"no_target""#) == true
            })
        #expect(site.simulators.recorder.count == 0)
        let counter = #"deskgate_deliveries_total{notifier="apns",outcome="gone",reason="unregistered"} 1"#
        #expect(try PushSite.get(server.adminAddress, "/metrics").contains(counter))
        #expect(try server.process.errors.line(containing: "push_token.removed").number > 0)
    }

    @Test func `a rejected credential pauses the notifier until it is repaired`() throws {
        try site.configure(["apns": ["key_id": "WRONGKEYID"]])
        let server = try RunningServer(site.workspace)
        try site.register(server)
        try post(1, server)
        let off = try jsonObject(server.process.errors.line(containing: "a notifier is paused").text)
        #expect(off.string("notifier") == "apns")
        #expect(off.string("reason") == "invalid_provider_token")
        let remedy = try #require(off.string("remedy"))
        #expect(remedy.contains("key_id"))
        #expect(try PushSite.get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        let status = try jsonObject(String(PushSite.get(server.adminAddress, "/v1/status").dropFirst(4)))
        #expect(status["paused"] == ["apns": ["reason": "invalid_provider_token", "remedy": .string(remedy)]])
        #expect(
            eventually {
                (try? PushSite.get(server.adminAddress, "/metrics"))?.contains(
                    "\ndeskgate_notifier_state{notifier=\"apns\",state=\"paused\"} 1\n") == true
            })
        try post(2, server)
        #expect(waitForState("pending", of: 2, notifier: "apns", server: server))
        try site.configure()
        server.process.send(1)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(site.simulators.recorder.wait(for: 2, milliseconds: WaitLimit.milliseconds))
        for comment in 1...2 { #expect(waitForState("delivered", of: comment, notifier: "apns", server: server)) }
        #expect(try PushSite.get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a reload without changes keeps the provider token`() throws {
        let server = try RunningServer(site.workspace)
        try site.register(server)
        for comment in 1...5 as ClosedRange<Int64> {
            try post(comment, server)
            #expect(site.simulators.recorder.wait(for: Int(comment), milliseconds: WaitLimit.milliseconds))
            server.process.send(1)
            // Apple, like the simulator, rejects a fourth provider token within 20 minutes.
            #expect(
                eventually {
                    let metrics = try? PushSite.get(server.adminAddress, "/metrics")
                    return metrics?.contains("deskgate_config_reloads_total{result=\"success\"} \(comment)\n") == true
                })
        }
        #expect(try PushSite.get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
    }

    @Test func `an unusable notifier is rejected at the start`() throws {
        let server = try RunningServer(site.workspace)
        try site.register(server)
        try site.configure(["apns": ["key": ["file": "other-secret"]]])
        server.process.send(1)
        let line = try server.process.errors.line(containing: "configuration not reloaded").text
        #expect(try jsonObject(line).string("reason")?.contains(": $.notifiers.apns.key: the key is not PEM") == true)
        try post(1, server)
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
    }
}
