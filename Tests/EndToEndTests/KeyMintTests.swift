import JSON
import Testing
import Time

/// `deskgate key mint`
@Suite struct KeyMintTests {
    @Test func `prints a key that the service accepts`() throws {
        let workspace = try Workspace()
        let result = try Deskgate.run("key", "mint", "--config=\(workspace.configuration)", "--app=app-1", "--user=\(Markers.user)")
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let isOneKey = result.output.wholeMatch(of: /dgk1\.[A-Za-z0-9_-]{84}\n/) != nil
        #expect(isOneKey)
        #expect(try verify(workspace, user: Markers.user, String(result.output.dropLast())) == 200)
        #expect(try verify(workspace, user: Markers.otherUser, String(result.output.dropLast())) == 403)
    }

    @Test(
        arguments: [
            ("1", 1), ("90", 90), ("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), (nil, 604_800), ("never", nil),
        ] as [(String?, Int64?)])
    func `has the requested lifetime`(_ ttl: String?, _ seconds: Int64?) throws {
        let workspace = try Workspace()
        let before = Int64(SystemClock.unixSeconds().rawValue)
        let minted = try mint(workspace, ttl.map { ["--ttl", $0] } ?? []).json
        #expect(minted.keys == ["security_key", "key_id", "issued_at", "expires_at"])
        let issued = minted.integer("issued_at") ?? 0
        #expect(issued >= before)
        #expect(issued <= Int64(SystemClock.unixSeconds().rawValue))
        #expect(minted.integer("expires_at") == seconds.map { issued + $0 } ?? 0)
        let inspected = try Deskgate.run("key", "inspect", "--json", "--key", minted.string("security_key") ?? "").json
        #expect(inspected.integer("expires_at") == minted.integer("expires_at"))
    }

    @Test(arguments: [
        "", "-1", "+5", "1.5h", "5 d", "d", "5w", "5D", "Never", "never ", "\u{663}\u{660}d", "5d\u{301}",
        "18446744073709551616", "18446744073709551615d",
    ])
    func `an invalid ttl is rejected`(_ ttl: String) throws {
        let result = try mintForPeople(Workspace(), ["--ttl", ttl])
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(
            result.errors.hasPrefix(
                "deskgate: --ttl: expected a time such as 90s, 15m, 12h or 30d; never or 0 is for ever\n  --ttl TIME "))
    }

    @Test(arguments: ["0", "0s", "never"])
    func `zero means no expiry as in the request`(_ ttl: String) throws {
        #expect(try mint(Workspace(), ["--ttl", ttl]).json.integer("expires_at") == 0)
    }

    @Test(arguments: ["1099511627776", "18446744073709551615"])
    func `a ttl beyond the format's limit is rejected`(_ ttl: String) throws {
        let result = try mintForPeople(Workspace(), ["--ttl", ttl])
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: --ttl: A key may live at most "))
    }

    @Test func `the longest lifetime applies to every key`() throws {
        let workspace = try Workspace(["security_keys": ["longest_life_seconds": 3600]])
        let exact = try mint(workspace, ["--ttl", "1h"]).json
        #expect(exact.integer("expires_at") == exact.integer("issued_at").map { $0 + 3600 })
        let byDefault = try mint(workspace, []).json
        #expect(byDefault.integer("expires_at") == byDefault.integer("issued_at").map { $0 + 3600 })
        for ttl in ["3601", "never"] {
            let result = try mintForPeople(workspace, ["--ttl", ttl])
            #expect(result.code == 2)
            #expect(result.errors.hasPrefix("deskgate: --ttl: A key may live at most 3600 seconds, and not for ever.\n  --ttl TIME "))
        }
    }

    @Test func `an app has its own limits`() throws {
        let app: JSONValue = [
            "app_id": "app-1", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
            "security_keys": ["longest_life_seconds": 600, "default_life_seconds": 60],
        ]
        let workspace = try Workspace(["security_keys": ["longest_life_seconds": 3600], "apps": [app]])
        for (options, life) in [([], 60), (["--ttl", "10m"], 600)] as [([String], Int64)] {
            let minted = try mint(workspace, options).json
            #expect(minted.integer("expires_at") == minted.integer("issued_at").map { $0 + life })
        }
        let result = try mintForPeople(workspace, ["--ttl", "601"])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --ttl: A key may live at most 600 seconds, and not for ever.\n  --ttl TIME "))
    }

    @Test func `the key ID selects the secret`() throws {
        let keys: JSONValue = [["id": 7, "secret": ["file": "app-1.key"]], ["id": 3, "secret": ["file": "app-2.key"]]]
        let workspace = try Workspace(["apps": [["app_id": "app-1", "keys": keys]]])
        #expect(try mint(workspace, []).json.integer("key_id") == 7)
        for id in ["3", "7"] {
            let minted = try mint(workspace, ["--key-id", id]).json
            #expect(minted.integer("key_id") == Int64(id))
            #expect(try verify(workspace, user: Markers.user, minted.string("security_key") ?? "") == 200)
        }
        let unknown = try mintForPeople(workspace, ["--key-id", "4294967295"])
        #expect(unknown.code == 2)
        #expect(unknown.errors.hasPrefix("deskgate: --key-id: The app has no key with the id 4294967295.\n  --key-id N "))
    }

    @Test(arguments: ["", "x", "-1", "4294967296", "1.0", "18446744073709551616"])
    func `a key id that is not a number is rejected`(_ id: String) throws {
        let result = try mintForPeople(Workspace(), ["--key-id", id])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --key-id: expected a number from 0 to 4294967295\n  --key-id N "))
    }

    @Test(arguments: [
        ("app-9", "u", "--app: no app with this app_id is configured; configured: app-1"),
        ("APP-1", "u", "--app: no app with this app_id is configured; configured: app-1"),
        ("", "u", "--app: is empty; expected a string of 1 to 255 UTF-16 code units."),
        ("app-1", "", "--user: is empty; expected a string of 1 to 100 UTF-16 code units."),
        ("app-1", "a\nb", "--user: holds a control character; expected a string of 1 to 100 UTF-16 code units."),
        ("app-1", String(repeating: "a", count: 101), "--user: is too long; expected a string of 1 to 100 UTF-16 code units."),
        ("app-1", String(repeating: "😀", count: 51), "--user: is too long; expected a string of 1 to 100 UTF-16 code units."),
    ])
    func `a key that would be denied is not minted`(_ app: String, user: String, complaint: String) throws {
        let workspace = try Workspace()
        let result = try Deskgate.run("key", "mint", "--config", workspace.configuration, "--app", app, "--user", user)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: \(complaint)\n  --"))
    }

    @Test(arguments: ["caf\u{e9}", "cafe\u{301}", "\u{301}x", "--json", "-5", "a=b", "Пользователь №7", String(repeating: "😀", count: 50)])
    func `user ids are passed unchanged`(_ user: String) throws {
        let workspace = try Workspace()
        // A separate word that begins with -- would be the next option.
        let forms = user.hasPrefix("--") ? [["--user=\(user)"]] : [["--user", user], ["--user=\(user)"]]
        for form in forms {
            let result = try Deskgate.run(["key", "mint", "--config", workspace.configuration, "--app", "app-1"] + form)
            #expect(result.code == 0)
            #expect(try verify(workspace, user: user, String(result.output.dropLast())) == 200)
        }
    }

    @Test func `an invalid configuration is reported`() throws {
        let workspace = try Workspace(["apps": []])
        let result = try mintForPeople(workspace, [])
        #expect(result.code == 2)
        #expect(result.errors.withoutPlaces == "\(workspace.configuration): $.apps: expected at least one app\n")
    }

    private func mint(_ workspace: Workspace, _ options: [String]) throws -> Deskgate.Result {
        try Deskgate.run(
            ["key", "mint", "--config", workspace.configuration, "--app", "app-1", "--user", Markers.user, "--json"] + options)
    }

    private func mintForPeople(_ workspace: Workspace, _ options: [String]) throws -> Deskgate.Result {
        try Deskgate.run(["key", "mint", "--config", workspace.configuration, "--app", "app-1", "--user", Markers.user] + options)
    }

    private func verify(_ workspace: Workspace, user: String, _ key: String) throws -> Int64? {
        try Deskgate.run(
            "key", "verify", "--config", workspace.configuration, "--app", "app-1", "--user=\(user)", "--key", key,
            "--offline", "--json"
        ).json.integer("status")
    }
}
