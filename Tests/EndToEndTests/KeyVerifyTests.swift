import Core
import JSON
import TestSupport
import Testing
import Time

@testable import DeskgateCLI

/// `deskgate key verify`
@Suite struct KeyVerifyTests {
    @Test func `every vector gets its verdict`() throws {
        let file = try VectorFile()
        let workspace = try Workspace(file.configuration)
        let sayable = file.vectors.filter { !$0.cannotBeArguments }
        let command = KeyCommands.verify
        var (authorizer, ran): (Authorizer?, Int) = (nil, 0)
        var asked: Set<String> = []
        for vector in sayable {
            let words = words(of: vector, workspace)
            // The command in this process, with its arguments and its output.
            let arguments = try Arguments(words, for: command)
            let keys = try authorizer ?? KeyCommands.authorizer(arguments.configuration())
            authorizer = keys
            let (answer, code) = try KeyCommands.verify(arguments, keys) { _ in
                Issue.record("queried the revocations in spite of --offline: \(vector.name)")
                return .failed("")
            }
            #expect(answer.json["status"] == .integer(Int64(vector.status)), "\(vector.name)")
            #expect(answer.json["reason"] == .string(vector.reason), "\(vector.name)")
            #expect(code == (vector.status == 200 ? .done : .negative), "\(vector.name)")
            ran += 1
            // The program runs once for each reason and for each kind of characters that the command line might change.
            guard asked.insert("\(vector.reason) \(vector.oddities)").inserted else { continue }
            let result = try Deskgate.run(command.words + words + ["--json"])
            #expect(try result.json == answer.json, "\(vector.name)")
            #expect(result.code == code.rawValue, "\(vector.name)")
            #expect(result.errors.isEmpty, "\(vector.name)")
        }
        #expect(asked.count > 20)
        let skipped = file.vectors.filter(\.cannotBeArguments)
        #expect(skipped.allSatisfy { $0.status == 400 || $0.status == 403 })
        #expect(ran == file.vectors.count - skipped.count)
        // An empty file would pass every test.
        #expect(ran > 300)
        #expect((1..<20).contains(skipped.count))
    }

    private func words(of vector: Vector, _ workspace: Workspace) -> [String] {
        [
            "--config", workspace.configuration, "--app", vector.appID, "--user", vector.userID, "--key", vector.securityKey, "--at",
            "\(vector.now)", "--offline",
        ]
    }

    @Test func `reports the reason and the key's contents`() throws {
        let workspace = try Workspace()
        let minted = try mint(workspace)
        let key = minted.string("security_key") ?? ""
        let issued = minted.integer("issued_at") ?? 0
        let fields: JSONObject = [
            "version": 1, "key_id": 1, "issued_at": .integer(issued), "expires_at": .integer(issued + 100), "key_state": "active",
            "key_not_after": .null,
        ]
        #expect(try verify(workspace, key) == (0, described(200, reason: "valid", fields: fields)))
        let tolerated = "The key has expired, and is accepted within the tolerance of 60 s for clocks that differ. "
        #expect(try verify(workspace, key, at: issued + 100) == (0, described(200, reason: "valid", fields: fields)))
        #expect(try verify(workspace, key, at: issued + 101) == (0, described(200, reason: "valid", fields: fields, remark: tolerated)))
        #expect(try verify(workspace, key, at: issued + 160) == (0, described(200, reason: "valid", fields: fields, remark: tolerated)))
        #expect(try verify(workspace, key, at: issued + 161) == (1, described(403, reason: "expired", fields: fields)))
        #expect(try verify(workspace, key, at: issued - 60) == (0, described(200, reason: "valid", fields: fields)))
        #expect(try verify(workspace, key, at: issued - 61) == (1, described(403, reason: "issued_in_future", fields: fields)))
        #expect(try verify(workspace, key, user: Markers.otherUser) == (1, described(403, reason: "wrong_mac", fields: fields)))
        let unknown = try verify(workspace, key, app: "app-2")
        #expect(unknown.code == 1)
        #expect(unknown.json.string("reason") == "unknown_app")
        #expect(unknown.json["key_state"] == .null)
    }

    @Test func `reports the state of the secret and its end`() throws {
        let workspace = try Workspace()
        let minted = try mint(workspace)
        let (key, issued) = (minted.string("security_key") ?? "", minted.integer("issued_at") ?? 0)
        try workspace.configure(["apps": [Workspace.app(1, ["state": "verify_only", "not_after": .integer(issued + 10)])]])
        for (at, code, reason) in [(70, 0, "valid"), (71, 1, "key_retired")] as [(Int64, Int32, String)] {
            let answer = try verify(workspace, key, at: issued + at)
            #expect(answer.code == code)
            #expect(answer.json.string("reason") == reason)
            #expect(answer.json.string("key_state") == "verify_only")
            #expect(answer.json.integer("key_not_after") == issued + 10)
        }
    }

    @Test func `a key beyond the maximum age is denied`() throws {
        let workspace = try Workspace()
        let minted = try mint(workspace)
        try workspace.configure(["security_keys": ["longest_life_seconds": 10]])
        let at = (minted.integer("issued_at") ?? 0) + 71
        #expect(try verify(workspace, minted.string("security_key") ?? "", at: at).json.string("reason") == "too_old")
    }

    @Test func `retired key is unknown`() throws {
        let workspace = try Workspace()
        let key = try workspace.key()
        try workspace.configure(["apps": [Workspace.app(1, keyID: 2)]])
        #expect(try verify(workspace, key).json.string("reason") == "unknown_key")
    }

    /// Like the service: allowed, with the reason of the denial without shadow mode.
    @Test func `reports shadow mode`() throws {
        let now = Int64(SystemClock.unixSeconds().rawValue)
        guard case .object(var app) = Workspace.app(1) else { throw ChildProcess.Failure.missingOutput }
        app.append(.integer(now + 86_400), forKey: "shadow_until")
        let workspace = try Workspace(["apps": [.object(app)]])
        let key = try workspace.key()
        let (code, json) = try verify(workspace, key, user: Markers.otherUser)
        #expect(code == 0)
        #expect(json.integer("status") == 200)
        #expect(json.string("reason") == "wrong_mac")
        #expect(json["shadowed"] == true)
        #expect(try verify(workspace, key).json["shadowed"] == nil)
        let over = try verify(workspace, key, user: Markers.otherUser, at: now + 86_400)
        #expect(over.code == 1)
        #expect(over.json["shadowed"] == nil)
    }

    @Test(arguments: [
        ("app-1", "", "user_id", "empty"), ("", "u", "app_id", "empty"), ("app-1", "a\u{7F}", "user_id", "control_character"),
        ("app-1", "u", "security_key", "not_a_security_key"),
    ])
    func `malformed input is reported with the field`(_ app: String, user: String, field: String, reason: String) throws {
        let (code, json) = try verify(Workspace(), "dgk1.\(Markers.stray)", app: app, user: user)
        #expect(code == 1)
        #expect(json.keys == ["status", "reason", "field", "message"])
        #expect(json.integer("status") == 400)
        #expect(json.string("field") == field)
        #expect(json.string("reason") == reason)
    }

    @Test(arguments: ["", "now", "-1", "1.5", "1796072458000"])
    func `an invalid time in option at is rejected`(_ at: String) throws {
        let workspace = try Workspace()
        let result = try Deskgate.run(arguments(workspace, try workspace.key()) + ["--at", at])
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: --at: expected a number from 0 to 1099827203775; "))
    }

    @Test func `every number is a time`() throws {
        let workspace = try Workspace()
        let words = arguments(workspace, try workspace.key()) + ["--json"]
        #expect(try Deskgate.run(words + ["--at", "1099511627775"]).json.string("reason") == "expired")
        #expect(try Deskgate.run(words + ["--at", "0"]).json.string("reason") == "issued_in_future")
    }

    /// The lines have the members' names, in order.
    @Test func `text output has lines in place of JSON`() throws {
        let workspace = try Workspace()
        let words = arguments(workspace, try workspace.key(), user: Markers.otherUser)
        let json = try Deskgate.run(words + ["--json"]).json
        let result = try Deskgate.run(words)
        #expect(result.code == 1)
        let lines = result.output.split(separator: "\n")
        #expect(lines.prefix(2) == ["status      403", "reason      wrong_mac"])
        let names = lines.map { String($0.prefix(10)).split(separator: " ").joined(separator: "_") }
        #expect(names == json.keys.filter { $0 != "key_not_after" })
    }

    @Test func `an option that cannot be valid is reported`() throws {
        let workspace = try Workspace()
        let words = arguments(workspace, try workspace.key(), user: "")
        let message = "--user is empty; expected a string of 1 to 100 UTF-16 code units."
        #expect(try Deskgate.run(words + ["--json"]).json.string("message") == message)
        #expect(try Deskgate.run(words).output == "status   400\nreason   empty\nmessage  \(message)\n")
    }

    private func mint(_ workspace: Workspace) throws -> JSONObject {
        try Deskgate.run(
            "key", "mint", "--config", workspace.configuration, "--app", "app-1", "--user", Markers.user, "--ttl", "100", "--json"
        ).json
    }

    private func arguments(_ workspace: Workspace, _ key: String, app: String = "app-1", user: String = Markers.user) -> [String] {
        ["key", "verify", "--config", workspace.configuration, "--app", app, "--user", user, "--key", key, "--offline"]
    }

    private func verify(
        _ workspace: Workspace, _ key: String, app: String = "app-1", user: String = Markers.user, at: Int64? = nil
    ) throws -> (code: Int32, json: JSONObject) {
        let words = arguments(workspace, key, app: app, user: user) + (at.map { ["--at", "\($0)"] } ?? [])
        let result = try Deskgate.run(words + ["--json"])
        #expect(result.errors.isEmpty)
        var json = JSONObject()
        for member in try result.json.members where member.key != "user_ref" { json.append(member.value, forKey: member.key) }
        return (result.code, json)
    }

    /// The digest of a person in the log: equal for each key, and different for each person.
    @Test func `prints the person's digest in the log`() throws {
        let workspace = try Workspace()
        let key = try workspace.key()
        func reference(_ words: [String]) throws -> String? { try Deskgate.run(words + ["--json"]).json.string("user_ref") }
        let name = try #require(try reference(arguments(workspace, key)))
        #expect(name.utf8.count == 12 && name.allSatisfy(\.isHexDigit))
        #expect(try reference(arguments(workspace, wellFormedKey)) == name)
        let other = try #require(try reference(arguments(workspace, key, user: Markers.otherUser)))
        #expect(other != name)
        let server = try RunningServer(workspace)
        #expect(try server.authorize(key, user: Markers.otherUser).status == 403)
        let line = try jsonObject(server.process.errors.line(containing: "wrong_mac").text)
        #expect(line.string("user_ref") == other)
        #expect(line.integer("key_id") == 1)
        #expect(try server.stop() == .exit(0))
    }

    private func described(_ status: Int64, reason: String, fields: JSONObject, remark: String = "") -> JSONObject {
        var object: JSONObject = ["status": .integer(status), "reason": .string(reason)]
        if status == 200 {
            object.append("not_asked", forKey: "revocations")
            object.append(
                .string(
                    remark + "Revocations were not asked: if the key is revoked or its user blocked, the service denies it. "
                        + "Ask without --offline."),
                forKey: "message")
        }
        for member in fields.members { object.append(member.value, forKey: member.key) }
        return object
    }
}

extension Vector {
    /// The kinds of characters other than printable ASCII, by field.
    fileprivate var oddities: [[String]] {
        [appID, userID, securityKey].map { text in
            let kinds: Set<String> = Set(
                text.unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0x21...0x7E: ""
                    case 0x20: "space"
                    case 0..<0x20, 0x7F: "control"
                    default: "beyond ASCII"
                    }
                })
            return kinds.sorted()
        }
    }
}
