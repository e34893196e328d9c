import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// Devices that are registered and never notified.
@Suite struct UnservedDeviceTests: ProblemScene {
    private static func apps(_ members: String) -> String {
        #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],\#(members)}]"#
    }

    private static func problem(_ members: String, type: String) throws -> Problem? {
        try search(apps: apps(members), unserved: [UnservedDevices.Finding(app: "shop", type: type, count: 14, total: 20)])
            .problems.first { $0.kind == .devicesUnserved }
    }

    @Test func `a type that no notifier serves is reported with the nearest entry`() throws {
        let problem = try #require(try Self.problem(#""notifiers":[],"routes":{"iOS":"crm"}"#, type: "ios"))
        let text = "14 of 20 registrations of shop within 10 minutes came from devices of the type ios, which no notifier serves: "
        #expect(problem.text.english == text + "they are never notified. The nearest entry of apps[].routes is iOS.")
        #expect(problem.text.isTranslated)
        #expect(problem.severity == .warning)
        #expect(problem.subject == "shop")
        #expect(problem.remedy.english == "Lead the type to a notifier in apps[].routes, and run deskgate reload.")
        #expect(problem.remedy.isTranslated)
    }

    @Test func `devices without a type need a default`() throws {
        let problem = try #require(try Self.problem(#""notifiers":[],"routes":{"ios":"crm"}"#, type: ""))
        #expect(problem.text.english.contains(" came from devices without a type, which no notifier serves: "))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.english.contains("\"default\" in apps[].routes"))
        #expect(problem.remedy.isTranslated)
    }

    /// If no phones are notified, no device is unserved. A reload that routes the type to a notifier ends the problem.
    @Test(arguments: [#""notifiers":["log"]"#, #""notifiers":["crm"]"#, #""notifiers":[],"routes":{"android":"crm","default":"crm"}"#])
    func `a device without any push notifier is no problem`(_ members: String) throws {
        let log = #","log":{"type":"log"}"#
        let found = [UnservedDevices.Finding(app: "shop", type: "ios", count: 14, total: 20)]
        let problems = try Self.search(apps: Self.apps(members), others: log, unserved: found).problems
        #expect(problems.allSatisfy { $0.kind != .devicesUnserved })
    }

    @Test func `registrations of an unserved type are reported`() throws {
        let notifiers = #""phones":{"type":"rustore","project_id":"p","token":"\#(TestSecret.text(61))"},"log":{"type":"log"}"#
        let app = #""app_id":"shop","notifiers":["log"],"routes":{"iOS":"phones"},"#
        let json = ServiceFixture.json(members: #""allow_insecure_secrets":true,"push_tokens":{"limits":[]},"notifiers":{\#(notifiers)}"#)
            .replacing(#""app_id":"shop","#, with: app)
        try ServiceFixture(json: json).withService { service throws in
            func register(_ type: String, times: Int) throws {
                for _ in 0..<times {
                    let request = try PushTokenCases.case200(type, answer: "", body: PushTokenCases.kit(type: type))
                    #expect(try request.send(to: SocketClient(service.publicAddress)).status == 200)
                }
            }
            func found() throws -> [JSONValue] { try ClosedChatTests.problems(service).filter { $0["kind"] == "devices_unserved" } }
            try register("iOS", times: 6)
            try register("ios", times: 4)
            #expect(try found() == [])
            try register("ios", times: 1)
            let problem = try #require(try found().first)
            #expect(problem["subject"] == "shop")
            #expect(
                problem["text"]?.text?.hasPrefix("5 of 11 registrations of shop within 10 minutes came from devices of the type ios")
                    == true)
        }
    }
}
