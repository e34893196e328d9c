import Testing

/// `deskgate secret new`
@Suite struct SecretNewTests {
    @Test func is43CharactersAndAnotherEachTime() throws {
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

    @Test func forMachines() throws {
        let result = try Deskgate.run("secret", "new", "--json")
        #expect(result.code == 0)
        let json = try result.json
        #expect(json.keys == ["secret"])
        #expect(json.string("secret")?.utf8.count == 43)
    }

    @Test func configurationTakesIt() throws {
        let workspace = try Workspace()
        try workspace.write("app-1.key", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        try workspace.write("admin-token", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0)
    }
}
