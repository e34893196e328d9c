import JSON
import TestSupport
import Testing

/// `deskgate webhook verify`, with signatures made by Python, as in other programs.
@Suite struct WebhookVerifyTests {
    /// The body of the help desk's webhook, as received.
    private static let body = "{\n  \"b\": \"Grüße/\",\n  \"a\": [1, 19.990, {\"c\": null}],\n  \"d\": {}\n}"
    private static let expected =
        "Expected: in X-Pyrus-Sig an HMAC-SHA-1 in hexadecimal, made with $.apps[0].webhook.signature_secret[0] or "
        + "$.apps[0].webhook.signature_secret[1] over the \(body.utf8.count) received bytes of the body, whose SHA-256 is "

    private let workspace: Workspace
    private let secrets: [String: String]

    init() throws {
        func app(_ id: String, _ webhook: JSONObject) -> JSONValue {
            ["app_id": .string(id), "keys": [["id": 1, "secret": ["file": .string("\(id).key")]]], "webhook": .object(webhook)]
        }
        workspace = try Workspace([
            "apps": [
                app("app-1", ["secret": ["file": "own-path"], "signature_secret": [["file": "new"], ["file": "old"]]]),
                app("app-2", ["signature_secret": ["file": "other"]]),
                app("app-3", ["secret": ["file": "path"]]),
            ],
            "notifiers": [
                "log": ["type": "log"], "backend": ["type": "http", "url": "https://events.test/", "secret": ["file": "signing"]],
            ],
        ])
        var secrets: [String: String] = [:]
        for name in ["new", "old", "other", "own-path", "path", "signing", "app-3.key"] {
            let words = name == "signing" ? ["secret", "new", "--signing"] : ["secret", "new"]
            secrets[name] = String(try Deskgate.run(words).output.dropLast())
            try workspace.write(name, secrets[name] ?? "", mode: 0o600)
        }
        self.secrets = secrets
        try workspace.directory.write("body.json", Self.body)
    }

    @Test(arguments: [("new", 0), ("old", 1)])
    func `a valid signature has the name of its secret`(_ name: String, _ index: Int) throws {
        for code in ["hex(sha1, body)", "hex(sha1, body).upper()", "'sha1=' + hex(sha1, body)"] {
            let result = try verify(code, secret: name)
            #expect(result.code == 0)
            #expect(result.output == "genuine: signed with $.apps[0].webhook.signature_secret[\(index)]\n")
        }
    }

    @Test(arguments: [
        ("hex(sha1, minified)", "re-serialised (minified)"),
        ("hex(sha1, minified + b'\\n')", "re-serialised (minified) with a line feed at its end"),
        ("hex(sha1, json.dumps(value).encode())", "re-serialised (a space after commas and colons, non-ASCII escaped)"),
        (
            "hex(sha1, json.dumps(value, indent=4, sort_keys=True, ensure_ascii=False).encode())",
            "re-serialised (indented by four spaces, keys sorted)"
        ),
        (
            #"hex(sha1, json.dumps(value, separators=(",", ":")).replace("/", "\\/").encode())"#,
            "re-serialised (minified, non-ASCII escaped, slashes escaped)"
        ),
        ("hex(sha1, body + b'\\n')", "with a line feed at its end"),
        ("hex(sha1, body.replace(b'\\n', b'\\r\\n'))", "with CR LF as line ends"),
        ("hex(sha1, b'\\xef\\xbb\\xbf' + body)", "with a byte order mark"), ("hex(sha1, b'')", "as an empty body"),
    ])
    func `changed bodies are recognised`(_ code: String, _ change: String) throws {
        try expectExplanation(
            of: code, "new",
            ["It belongs to the body \(change): verify the bytes as they were received, before anything parses or changes them."])
    }

    @Test(arguments: [
        ("base64(sha1, body)", "new", ["It is written in base64, not in hexadecimal."]),
        ("hex(sha256, body)", "new", ["It is an HMAC-SHA-256, not an HMAC-SHA-1."]),
        (
            "'sha256=' + hex(sha256, body)", "old",
            ["The header begins with sha256= in place of sha1=", "It is an HMAC-SHA-256, not an HMAC-SHA-1."]
        ),
        ("hex(sha1, body)", "other", ["It was made with $.apps[1].webhook.signature_secret."]),
        ("hex(sha1, body)", "own-path", ["It was made with $.apps[0].webhook.secret."]),
        ("hex(sha1, body, secret + b'\\n')", "new", ["The secret was read with the line feed at the end of its file."]),
        (
            "hex(sha256, minified)", "new",
            [
                "It is an HMAC-SHA-256, not an HMAC-SHA-1.",
                "It belongs to the body re-serialised (minified): verify the bytes as they were received, before anything parses or changes them.",
            ]
        ),
        (
            "hex(sha1, b'another body')", "new",
            [
                "No guess leads to this signature: it was made with another secret, or over another body. Compare the SHA-256 with the sender's."
            ]
        ),
        ("'not a signature'", "new", ["The value of X-Pyrus-Sig is no signature: 20 bytes in hexadecimal were expected."]),
    ])
    func `other mistakes are recognised`(_ code: String, secret: String, differences: [String]) throws {
        try expectExplanation(of: code, secret, differences)
    }

    @Test func `a valid signature causes no hint`() throws {
        let right = try sign("hex(sha1, body)", "new")
        let result = try verify("hex(sha1, minified)", secret: "new", words: ["--explain", "--json"])
        let (object, hidden) = (try result.json, [right] + secrets.values)
        #expect(object.string("status") == "not_genuine")
        #expect(object.string("reason") == "differs")
        for text in hidden { #expect(!result.output.contains(text)) }
        #expect(try verify("hex(sha1, minified)", secret: "new").output == "not genuine; --explain shows why\n")
    }

    @Test func `standard webhooks are verified`() throws {
        let stamped = "b'id-1.1700000000.' + body"
        let genuine = "'v1,' + base64(sha256, \(stamped), signing)"
        #expect(try receive(genuine).output == "genuine: signed with $.notifiers.backend.secret\n")
        #expect(try receive("'v1,AAAA ' + \(genuine)").code == 0)
        let late = try receive(genuine, at: "1700000301", ["--json"])
        #expect(late.code == 1)
        #expect(try late.json.string("status") == "expired")
        for (code, difference) in [
            ("'v1,' + base64(sha256, body, signing)", "The id and the timestamp were not signed with the body."),
            ("'v1,' + base64(sha256, b'1700000000.' + body, signing)", "The id was not signed with the body."),
            ("'v1,' + base64(sha256, \(stamped))", "The secret was not decoded from base64."),
            ("'v1,' + hex(sha256, \(stamped), signing)", "It is written in hexadecimal, not in base64."),
            ("base64(sha256, \(stamped), signing)", "The header must begin with v1,"),
            (
                "'v1,' + base64(sha256, b'id-1.1700000000.' + minified, signing)",
                "It belongs to the body re-serialised (minified): "
                    + "verify the bytes as they were received, before anything parses or changes them."
            ),
        ] {
            let result = try receive(code, ["--explain"])
            #expect(result.code == 1)
            #expect(result.output.hasSuffix("\n\(difference)\n"), "\(code): \(result.output)")
        }
    }

    /// The body contains both the event's id and the delivery's.
    @Test(arguments: [("id-1", false), ("id-2", true)]) func `the event's id is distinguished from the delivery's`(
        _ id: String, _ isReported: Bool
    ) throws {
        try workspace.directory.write("body.json", #"{"id": "id-2", "b": 1}"#)
        let result = try receive("'v1,' + base64(sha256, b'id-3.1700000000.' + body, signing)", id: id, ["--explain"])
        #expect(result.code == 1)
        #expect(result.output.contains("over another body, or with another webhook-id or webhook-timestamp. "))
        #expect(result.output.contains("The value of --id is the id in the body, which is the event's: ") == isReported)
    }

    @Test(arguments: [
        (["--app", "app-3"], "--app: the app has no webhook.signature_secret"), (["--app", "app-9"], "--app: no app with this app_id"),
        ([], "expected either --app or --notifier"), (["--app", "app-1", "--notifier", "backend"], "expected either --app or --notifier"),
        (["--notifier", "backend"], "--notifier needs --id and --timestamp"), (["--app", "app-1", "--id", "1"], "--id: needs --notifier"),
        (["--notifier", "log", "--id", "1", "--timestamp", "1"], "--notifier: no notifier of type http has this name"),
        (["--app", "app-1", "--body", "/nowhere"], "--body: /nowhere cannot be read: "),
        (["--app", "app-1", "--body", #"{"a":1}"#], "--body: expected a file; - reads the body from standard input"),
        (["--app", "app-1", "--body", "-"], "--body: standard input is empty"),
    ])
    func `usage errors are reported`(_ words: [String], _ message: String) throws {
        let body = words.contains("--body") ? [] : ["--body", workspace.directory.path("body.json")]
        let result = try Deskgate.run(["webhook", "verify", "--config", workspace.configuration, "--signature", "x"] + body + words)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: \(message)"), "\(result.errors)")
    }

    @Test(arguments: ["signature", "id", "timestamp"])
    func `an empty value hints at an unset variable`(_ empty: String) throws {
        let values = ["signature", "id", "timestamp"].flatMap { ["--\($0)", $0 == empty ? "" : "1"] }
        let words = ["--config", workspace.configuration, "--notifier", "backend", "--body", workspace.directory.path("body.json")]
        let result = try Deskgate.run(["webhook", "verify"] + words + values)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --\(empty): is empty; is the variable set?\n"), "\(result.errors)")
    }

    @Test func `the body is read from the standard input`() throws {
        let words = ["webhook", "verify", "--config", workspace.configuration, "--app", "app-1", "--body", "-"]
        let signature = try sign("hex(sha1, body)", "new")
        let result = try Deskgate.run(words + ["--signature", signature], input: workspace.directory.path("body.json"))
        #expect(result.code == 0)
    }

    private func expectExplanation(of code: String, _ secret: String, _ differences: [String]) throws {
        let result = try verify(code, secret: secret, words: ["--explain"])
        #expect(result.code == 1)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "not genuine")
        #expect(lines.dropFirst().first?.hasPrefix(Self.expected) == true)
        #expect(Array(lines.dropFirst(2)) == differences)
    }

    /// Verifies a help desk's webhook for `app-1`.
    private func verify(_ code: String, secret: String, words: [String] = []) throws -> Deskgate.Result {
        try Deskgate.run(
            [
                "webhook", "verify", "--config", workspace.configuration, "--app", "app-1", "--body", workspace.directory.path("body.json"),
                "--signature", try sign(code, secret),
            ] + words)
    }

    /// Verifies a webhook of the notifier.
    private func receive(
        _ code: String, id: String = "id-1", at now: String = "1700000060", _ words: [String] = []
    ) throws -> Deskgate.Result {
        try Deskgate.run(
            [
                "webhook", "verify", "--config", workspace.configuration, "--notifier", "backend",
                "--body", workspace.directory.path("body.json"), "--id", id, "--timestamp", "1700000000", "--at", now,
                "--signature", try sign(code, "signing"),
            ] + words)
    }

    /// A Python program's signature: an expression of `body`, `value`, `minified`, `secret` and `signing`.
    private func sign(_ code: String, _ secret: String) throws -> String {
        let script = """
            import base64 as b64, hashlib, hmac, json, sys
            body, secret = open(sys.argv[1], 'rb').read(), sys.argv[2].encode()
            signing = b64.b64decode(sys.argv[2].removeprefix('whsec_') + '==') if sys.argv[2].startswith('whsec_') else b''
            value = json.loads(body)
            minified = json.dumps(value, separators=(',', ':'), ensure_ascii=False).encode()
            sha1, sha256 = hashlib.sha1, hashlib.sha256
            def hex(algorithm, message, key=secret): return hmac.new(key, message, algorithm).hexdigest()
            def base64(algorithm, message, key=secret): return b64.b64encode(hmac.new(key, message, algorithm).digest()).decode()
            print(\(code), end='')
            """
        let result = try Command("python3", "-c", script, workspace.directory.path("body.json"), secrets[secret] ?? "")
        try #require(result.status == 0, "\(result.output)")
        return result.output
    }
}
