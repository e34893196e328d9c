import JSON
import TestSupport
import Testing

/// `deskgate secret new`
@Suite struct SecretNewTests {
    @Test func `has 43 characters and differs each time`() throws {
        var seen: Set<String> = []
        for _ in 0..<5 {
            let result = try Deskgate.run("secret", "new")
            #expect(result.code == 0)
            #expect(result.errors.isEmpty)
            let isASecret = result.output.wholeMatch(of: /[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\n/) != nil
            #expect(isASecret)
            seen.insert(result.output)
        }
        #expect(seen.count == 5)
    }

    @Test func `a new secret is printed as JSON`() throws {
        let result = try Deskgate.run("secret", "new", "--json")
        #expect(result.code == 0)
        let json = try result.json
        #expect(json.keys == ["secret"])
        #expect(json.string("secret")?.utf8.count == 43)
    }

    @Test func `is written into a new file only`() throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("secret", "new", "--out", scratch.path("app.key"))
        #expect(result.code == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors.isEmpty)
        let secret = try scratch.read("app.key")
        let isASecret = secret.wholeMatch(of: /[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\n/) != nil
        #expect(isASecret)
        #expect(try Command("stat", "-c", "%a", scratch.path("app.key")).output == "600\n")
        let again = try Deskgate.run("secret", "new", "--out", scratch.path("app.key"))
        #expect(again.code == 1)
        #expect(again.errors == "deskgate: \(scratch.path("app.key")) exists already; nothing was changed; name a file that does not\n")
        #expect(try scratch.read("app.key") == secret)
        let elsewhere = try Deskgate.run("secret", "new", "--out", scratch.path("missing/app.key"))
        #expect(elsewhere.code == 2)
        let reason = "deskgate: --out: cannot make \(scratch.path("missing/app.key")): No such file or directory; "
        #expect(elsewhere.errors.hasPrefix("\(reason)first run mkdir -p \(scratch.path("missing"))\n"))
    }

    @Test func `a new secret signs events`() throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("secret", "new", "--signing", "--json", "--out", scratch.path("backend.key"))
        #expect(try result.json == ["file": .string(scratch.path("backend.key"))])
        let workspace = try Workspace([
            "notifiers": [
                "backend": [
                    "type": "http", "url": "http://127.0.0.1:1/", "secret": ["file": .string(scratch.path("backend.key"))],
                ]
            ]
        ])
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0)
    }

    @Test func `the configuration accepts a new secret`() throws {
        let workspace = try Workspace()
        try workspace.write("app-1.key", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        try workspace.write("admin-token", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0)
    }
}
