import JSON
import Testing

/// `deskgate key inspect`
@Suite struct KeyInspectTests {
    @Test func `a key is described in sentences`() throws {
        let result = try Deskgate.run("key", "inspect", "--key", wellFormedKey)
        #expect(result.code == 0)
        #expect(
            result.output == """
                version     1
                key id      1
                issued at   1767225600  2026-01-01T00:00:00.000Z
                expires at  1769817600  2026-01-31T00:00:00.000Z

                """)
        #expect(result.errors.isEmpty)
    }

    @Test func `a key is described in JSON`() throws {
        let json = try Deskgate.run("key", "inspect", "--json", "--key", wellFormedKey).json
        #expect(json == ["version": 1, "key_id": 1, "issued_at": 1_767_225_600, "expires_at": 1_769_817_600])
    }

    @Test func `reports the state of the secret`() throws {
        let workspace = try Workspace([
            "apps": [Workspace.app(1, ["state": "verify_only", "not_after": 1_767_225_600]), Workspace.app(2, keyID: 2)]
        ])
        func inspect(_ words: String...) throws -> Deskgate.Result {
            try Deskgate.run(["key", "inspect", "--key", wellFormedKey, "--config", workspace.configuration] + words)
        }
        let lines = "key state      verify_only\nkey not after  1767225600  2026-01-01T00:00:00.000Z\n"
        #expect(try inspect("--app", "app-1").output.hasSuffix(lines))
        let json = try inspect("--app", "app-1", "--json").json
        #expect(json.string("key_state") == "verify_only")
        #expect(json.integer("key_not_after") == 1_767_225_600)
        #expect(try inspect("--app", "app-2").output.hasSuffix("key state   unknown: the app has no key of this id, or not any more\n"))
        #expect(try inspect("--app", "app-2", "--json").json["key_state"] == .null)
        #expect(try inspect("--app", "app-3").code == 2)
        #expect(try !inspect("--json").json.keys.contains("key_state"))
    }

    @Test func `largest numbers and never`() throws {
        let largest = "dgk1.AP____________________" + String(repeating: "A", count: 84 - 22)
        let result = try Deskgate.run("key", "inspect", "--key", largest, "--json")
        #expect(try result.json.integer("key_id") == 4_294_967_295)
        #expect(try result.json.integer("issued_at") == 1_099_511_627_775)
        #expect(try Deskgate.run("key", "inspect", "--key", largest).output.contains("issued at   1099511627775  after the year 9999\n"))
        let never = "dgk1." + String(repeating: "A", count: 84)
        #expect(try Deskgate.run("key", "inspect", "--key", never).output.hasSuffix("expires at  never\n"))
        #expect(try Deskgate.run("key", "inspect", "--key", never, "--json").json.integer("expires_at") == 0)
    }

    @Test(arguments: ["", "x", "dgk1.", "dgk2", "trailing", "padded", "flags"])
    func `an invalid key is not printed`(_ kind: String) throws {
        let text =
            switch kind {
            case "dgk2": "dgk2" + wellFormedKey.dropFirst(4)
            case "trailing": wellFormedKey + "\n"
            case "padded": String(wellFormedKey.dropLast()) + "="
            case "flags": "dgk1.B" + wellFormedKey.dropFirst(6)
            default: kind
            }
        let result = try Deskgate.run("key", "inspect", "--key", text)
        #expect(result.code == 1)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasSuffix("; expected dgk1. and 84 base64url characters.\n"))
        #expect(!result.output.contains("AAAA"))
    }

    /// The reason, message and exit code equal those of `key verify`.
    @Test(arguments: ["", "dgk1.x", "a\tb"])
    func `a malformed key gets the same result as in key verify`(_ text: String) throws {
        let workspace = try Workspace()
        let inspected = try Deskgate.run("key", "inspect", "--json", "--key", text)
        let words = ["--config", workspace.configuration, "--app", Workspace.app, "--user", Markers.user, "--json", "--key", text]
        let verified = try Deskgate.run(["key", "verify"] + words)
        #expect(inspected.code == 1)
        #expect(verified.code == 1)
        let members = try verified.json.members.filter { $0.key != "status" }
        #expect(try inspected.json == JSONObject(members.map { ($0.key, $0.value) }))
    }
}
