import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

@testable import AdminAPI

/// `/v1/notifiers/prove` and `/v1/notifiers/push`: which of the running notifiers are tried.
@Suite struct NotifierTrialActionTests {
    private let fixture: AdminDeliverFixture
    private let file: String

    init() throws {
        fixture = try AdminDeliverFixture(others: #""log":{},"# + AdminDeliverFixture.pushNotifiers)
        file = try FileSystem.absolutePath(of: fixture.directory.file)
    }

    private func prove(_ body: JSONValue) -> String {
        fixture.send(.post, "/v1/notifiers/prove", body: String(decoding: body.serialized(), as: UTF8.self)).text
    }

    private func push(_ changes: JSONObject) -> ReceivedResponse {
        var body = changes
        for (key, value) in [("notifier", "phones"), ("token", "token-1")] where body[key] == nil {
            body.append(.string(value), forKey: key)
        }
        return fixture.send(.post, "/v1/notifiers/push", body: String(decoding: JSONValue.object(body).serialized(), as: UTF8.self))
    }

    private func change(_ before: String, to after: String) throws {
        let text = try fixture.directory.scratch.read("config.json")
        try #require(text.contains(before))
        try fixture.directory.scratch.write("config.json", text.replacing(before, with: after))
    }

    private static let good = #"{"notifiers":[{"notifier":"phones","status":"good","reason":"credential_accepted","remedy":null}]}"#
    private static let none = #"{"notifiers":[]}"#

    @Test func `any configuration in force is tested for a caller without a file`() throws {
        try change(#""project_id":"p""#, to: #""project_id":"q""#)
        #expect(prove([:]) == Self.good)
        #expect(push([:]).status == 200)
    }

    @Test func `the service's own file is tested`() throws {
        #expect(prove(["file": .string(file)]) == Self.good)
        #expect(push(["file": .string(file)]).status == 200)
        // Other notifiers' settings are ignored.
        try change(#""log":{"type":"log"}"#, to: #""log":{"type":"log"},"more":{"type":"log"}"#)
        #expect(prove(["file": .string(file)]) == Self.good)
    }

    @Test(arguments: [
        (#""project_id":"p""#, #""project_id":"q""#), (#""phones""#, #""others""#), ("app-3.key", "app-9.key"), ("{", ""),
    ])
    func `a file that is not in force is not tested`(before: String, after: String) throws {
        try change(before, to: after)
        #expect(prove(["file": .string(file)]) == Self.none)
        let refused = push(["file": .string(file)])
        #expect(refused.status == 409)
        #expect(refused.text.contains("not_in_force"))
    }

    @Test func `a secret with other contents is not in force`() throws {
        try fixture.directory.scratch.write("secrets/app-3.key", TestSecret.text(9) + "\n")
        #expect(prove(["file": .string(file)]) == Self.none)
    }

    @Test(arguments: ["", "config.json", "/nowhere/config.json"])
    func `another file is not tested`(other: String) {
        #expect(prove(["file": .string(other)]) == Self.none)
        #expect(push(["file": .string(other)]).status == 409)
    }

    @Test(
        arguments: [
            (["notifier": "log"], "notifier: "), (["notifier": "nobody"], "notifier: "), (["token": ""], "token: "),
            (["token": 7], "token: "),
            (["token": .string(String(repeating: "x", count: 4097))], "token: "), (["title": []], "title: "),
        ] as [(JSONObject, String)])
    func `an invalid push is rejected`(changes: JSONObject, message: String) {
        let response = push(changes)
        #expect(response.status == 400)
        #expect(response.text.contains("\"message\":\"\(message)"))
    }

    @Test func `the audit line has neither the token nor the texts`() throws {
        #expect(push(["token": "token-of-a-phone", "title": "title-of-it", "body": "text-of-it"]).status == 200)
        let lines = try fixture.log.lines().filter { $0.contains(" audit ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("notifiers.push") == true)
        #expect(lines.first?.contains("notifier=phones") == true)
        #expect(lines.allSatisfy { !$0.contains("-of-") })
    }
}
