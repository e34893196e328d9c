import Crypto
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct SecretReaderTests {
    private let directory: ConfigurationDirectory
    private let secret = TestSecret.text(1)
    private static let insecure = #""allow_insecure_secrets":true"#

    init() throws {
        directory = try ConfigurationDirectory()
    }

    private func isRead(_ configuration: Configuration, as number: Int = 1) -> Bool {
        configuration.apps[0].keys[0].secret.withSpan { span in span.indices.map { span[$0] } == TestSecret.bytes(number) }
    }

    private func configuration(secret: String, members: String = #""log":{}"#) throws -> Configuration {
        try directory.configuration(#"{"apps":[{"app_id":"shop","keys":[{"id":1,"secret":\#(secret)}]}],\#(members)}"#)
    }

    @Test(arguments: ["", "\n"])
    func `reads one line of a file`(lineEnd: String) throws {
        try directory.scratch.write("app.key", secret + lineEnd)
        #expect(isRead(try configuration(secret: #"{"file":"app.key"}"#)))
        #expect(isRead(try configuration(secret: #"{"file":"\#(directory.scratch.path("app.key"))"}"#)))
    }

    @Test func `a file is listed once`() throws {
        try directory.scratch.write("app.key", secret)
        try directory.scratch.write("authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        directory.environment = ["A": TestSecret.signing(200), "B": TestSecret.signing(201)]
        let notifiers = ["A", "B"].map { name in
            #""\#(name)":{"type":"http","url":"https://example.com","secret":{"env":"\#(name)"},"certificate_authorities":"authorities.pem"}"#
        }
        let members = #""log":{},"notifiers":{\#(notifiers.joined(separator: ","))}"#
        #expect(
            try configuration(secret: #"{"file":"app.key"}"#, members: members).sources.files
                == [directory.file, directory.scratch.path("app.key"), directory.scratch.path("authorities.pem")])
    }

    @Test(arguments: ["", "\n"])
    func `reads the environment`(lineEnd: String) throws {
        directory.environment["SHOP_KEY"] = secret + lineEnd
        #expect(isRead(try configuration(secret: #"{"env":"SHOP_KEY"}"#)))
    }

    @Test(arguments: ["", "\n"])
    func `reads a credential`(lineEnd: String) throws {
        try directory.writeCredential("shop.key_1-a", secret + lineEnd)
        let configuration = try configuration(secret: #"{"credential":"shop.key_1-a"}"#)
        #expect(isRead(configuration))
        #expect(configuration.sources.files == [directory.file, directory.scratch.path("credentials/shop.key_1-a")])
    }

    @Test func `a credential has the same rules as a file`() throws {
        try directory.writeCredential("open", secret)
        try directory.scratch.write("credentials/open", secret, mode: 0o644)
        #expect(
            try directory.problems(secret: #"{"credential":"open"}"#) == [
                "$.apps[0].keys[0].secret.credential: DIR/credentials/open can be read by everyone; run chmod 600 on it, "
                    + #"or set "allow_insecure_secrets": true at the top on a laptop"#
            ])
        try directory.writeCredential("empty", "")
        #expect(
            try directory.problems(secret: #"{"credential":"empty"}"#) == [
                "$.apps[0].keys[0].secret: the secret is empty; make one with: deskgate secret new"
            ])
    }

    @Test(arguments: ["a/b", "/a", "..", ".a", "a b", "é", "a\\u0000", String(repeating: "a", count: 256)])
    func `rejects an invalid credential name`(name: String) throws {
        try directory.writeCredential("a", secret)
        let path = "$.apps[0].keys[0].secret.credential"
        let problems = try directory.problems(secret: #"{"credential":"\#(name)"}"#)
        #expect(
            problems == ["\(path): expected a credential's name: letters, digits, \".\", \"_\" and \"-\", and no \".\" first"]
                || problems == ["\(path): expected a string without the character U+0000"])
    }

    @Test(arguments: [nil, ""])
    func `reports the directory of credentials`(directoryVariable: String?) throws {
        directory.environment["CREDENTIALS_DIRECTORY"] = directoryVariable
        #expect(
            try directory.problems(secret: #"{"credential":"shop-key"}"#) == [
                "$.apps[0].keys[0].secret.credential: shop-key is there for the unit alone, as CREDENTIALS_DIRECTORY is not set; while the "
                    + "unit runs (systemctl start deskgate), run this as root with CREDENTIALS_DIRECTORY=/run/credentials/deskgate.service; within it, "
                    + "give it LoadCredential=NAME:FILE"
            ])
    }

    @Test func `reports a missing credential`() throws {
        try directory.writeCredential("other", secret)
        #expect(
            try directory.problems(secret: #"{"credential":"shop-key"}"#) == [
                "$.apps[0].keys[0].secret.credential: no credential shop-key in DIR/credentials; give the unit LoadCredential=NAME:FILE and "
                    + "restart it"
            ])
        #expect(
            try directory.problems(secret: #"{"credential":"\#(secret)"}"#) == [
                "$.apps[0].keys[0].secret.credential: no credential (a possible secret) in DIR/credentials; give the unit "
                    + "LoadCredential=NAME:FILE and restart it"
            ])
    }

    @Test func `a missing directory of credentials means that the unit does not run`() throws {
        directory.environment["CREDENTIALS_DIRECTORY"] = directory.scratch.path("none")
        #expect(
            try directory.problems(secret: #"{"credential":"shop-key"}"#) == [
                "$.apps[0].keys[0].secret.credential: no credential shop-key in DIR/none; that directory exists only while the unit runs: "
                    + "systemctl start deskgate"
            ])
    }

    @Test(arguments: ["\r\n", "\r"])
    func `reports a Windows line ending`(lineEnd: String) throws {
        try directory.scratch.write("app.key", secret + lineEnd)
        let problems = try directory.problems(secret: #"{"file":"app.key"}"#)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("$.apps[0].keys[0].secret: the secret ends with CR LF, as editors on Windows write it") == true)
    }

    private static let quotes = "the secret is in quotes, which count as part of it, as in files for docker --env-file; remove them"
    private static let space = "the secret has white space before or after it, which counts as part of it; remove it"
    private static let lineFeed = #"the secret ends with a written-out line feed (\n), which counts as part of it; remove it"#

    private static let mark = "the secret begins with a byte order mark, which counts as part of it; save it as UTF-8 without that"
    private static let hidden = "the secret ends with the invisible character U+200B, which counts as part of it; remove that"

    @Test(arguments: [
        ("\u{FEFF}", "", mark), ("\u{FEFF}", "\n", mark), ("", "\u{200B}", hidden), ("", "\u{200B}\n", hidden),
        ("\"", "\"", quotes), ("'", "'", quotes), ("\"", "\"\n", quotes), (" ", "", space), ("", " ", space), ("", " \n", space),
        ("\t", "", space),
        ("", "\t", space), ("\n", "", space), ("", "\n\n", space), ("\u{A0}", "", space), ("", "\u{2028}", space), ("", #"\n"#, lineFeed),
        ("", #"\r\n"#, lineFeed), ("", #"\n"# + "\n", lineFeed), (" ", #"\n"#, lineFeed),
    ])
    func `reports characters added to a secret`(before: String, after: String, problem: String) throws {
        directory.environment["SHOP_KEY"] = before + secret + after
        #expect(try directory.problems(secret: #"{"env":"SHOP_KEY"}"#) == ["$.apps[0].keys[0].secret: \(problem)"])
        try directory.scratch.write("app.key", before + secret + after)
        #expect(try directory.problems(secret: #"{"file":"app.key"}"#) == ["$.apps[0].keys[0].secret: \(problem)"])
    }

    @Test func `reports a secret in another encoding`() throws {
        try directory.scratch.write("app.key", [0xFF, 0xFE] + secret.utf8.flatMap { [$0, 0] })
        let problem = "$.apps[0].keys[0].secret: the secret is UTF-16 or UTF-32; save it as UTF-8"
        #expect(try directory.problems(secret: #"{"file":"app.key"}"#) == [problem])
    }

    private static let missing = "No such file or directory"
    private static let anew = "; put it back, or, if none is in use yet, make one with: deskgate secret new --out "
    private static let whole = "write the path out"
    private static let directory =
        "Is a directory; give the path of a file. Containers get a directory where a mounted file is missing"
    private static let noName = "expected the name of an environment variable, such as APP_KEY, without $ and not its value"

    @Test(arguments: [
        (#"{"file":"none.key"}"#, "$.apps[0].keys[0].secret.file: cannot read DIR/none.key: \(missing)\(anew)DIR/none.key"),
        (#"{"file":"secrets"}"#, "$.apps[0].keys[0].secret.file: cannot read DIR/secrets: \(directory)"),
        (#"{"file":"~/none"}"#, "$.apps[0].keys[0].secret.file: cannot read DIR/~/none: \(missing); ~ is not replaced here; \(whole)"),
        (
            #"{"file":"${HOME}/none"}"#,
            "$.apps[0].keys[0].secret.file: cannot read DIR/${HOME}/none: \(missing); variables are not replaced here; \(whole)"
        ),
        (
            #"{"file":"secrets\\app-1.key"}"#,
            #"$.apps[0].keys[0].secret.file: cannot read DIR/secrets\app-1.key: \#(missing); a path has no drive, and / between its parts"#
        ),
        (
            #"{"file":"C:/app-1.key"}"#,
            "$.apps[0].keys[0].secret.file: cannot read DIR/C:/app-1.key: \(missing); a path has no drive, and / between its parts"
        ),
        (
            #"{"file":"file:///none"}"#,
            "$.apps[0].keys[0].secret.file: cannot read DIR/file:///none: \(missing); a path has no scheme; remove file:, and // if that follows"
        ),
        (#"{"file":"secrets/\u001b[2J"}"#, "$.apps[0].keys[0].secret.file: cannot read DIR/secrets/?[2J: \(missing)\(anew)FILE"),
        (
            #"{"env":"NONE"}"#,
            "$.apps[0].keys[0].secret.env: the environment variable NONE is not set; set it beforehand"
        ),
        (
            #"{"env":"EMPTY"}"#,
            "$.apps[0].keys[0].secret.env: the environment variable EMPTY is set, and empty; give it the secret"
        ),
        (#"{"env":"$NONE"}"#, "$.apps[0].keys[0].secret.env: \(noName)"),
        (#"{"env":"${NONE}"}"#, "$.apps[0].keys[0].secret.env: \(noName)"),
        (#"{"env":"c2VjcmV0/c2VjcmV0+w=="}"#, "$.apps[0].keys[0].secret.env: \(noName)"),
        (#"{"file":"secrets/app-1.key","env":"EMPTY"}"#, #"$.apps[0].keys[0].secret: give only one of "file", "env" and "credential""#),
        (#"{"file":"secrets/app-1.key","credential":"a"}"#, #"$.apps[0].keys[0].secret: give only one of "file", "env" and "credential""#),
        (#"{"file":"a","env":"EMPTY","credential":"a"}"#, #"$.apps[0].keys[0].secret: give only one of "file", "env" and "credential""#),
        (#"{"credential":1}"#, "$.apps[0].keys[0].secret.credential: expected a non-empty string, found a number"),
        ("{}", #"$.apps[0].keys[0].secret: give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#),
        (#"{"file":1}"#, "$.apps[0].keys[0].secret.file: expected a non-empty string, found a number"),
        (#"{"env":""}"#, "$.apps[0].keys[0].secret.env: expected a non-empty string, found an empty string"),
        ("null", #"$.apps[0].keys[0].secret: expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found null"#),
        ("[1]", #"$.apps[0].keys[0].secret: expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found a list"#),
        ("7", #"$.apps[0].keys[0].secret: expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found a number"#),
    ])
    func `reports an unusable source`(secret: String, problem: String) throws {
        directory.environment["EMPTY"] = ""
        #expect(try directory.problems(secret: secret) == [problem])
    }

    @Test func `rejects a large file`() throws {
        try directory.scratch.writeSparse("large.key", size: 64 * 1024 + 1)
        #expect(
            try directory.problems(secret: #"{"file":"large.key"}"#) == [
                "$.apps[0].keys[0].secret.file: cannot read DIR/large.key: File too large; give one of at most 64 KiB"
            ])
    }

    @Test func `rejects a secret in the configuration`() throws {
        let inline = "\"\(secret)\""
        #expect(
            try directory.problems(secret: inline) == [
                "$.apps[0].keys[0].secret: a secret must not be in the configuration; "
                    + #"give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, or set "allow_insecure_secrets": true at the top on a laptop"#
            ])
        #expect(isRead(try configuration(secret: inline, members: Self.insecure)))
        let empty = try directory.problems(secret: #""""#, members: Self.insecure)
        #expect(empty == ["$.apps[0].keys[0].secret: the secret is empty; make one with: deskgate secret new"])
    }

    @Test(arguments: ["secrets/app-1.key", "/etc/deskgate/none", "./none", "app"])
    func `a path in place of a secret is recognised`(_ path: String) throws {
        try directory.scratch.write("app", secret)
        #expect(
            try directory.problems(secret: "\"\(path)\"") == [
                #"$.apps[0].keys[0].secret: expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found a path; give it "#
                    + #"as {"file": "PATH"}"#
            ])
    }

    @Test func `rejects a file that all users can read`() throws {
        try directory.scratch.write("app.key", secret, mode: 0o644)
        #expect(
            try directory.problems(secret: #"{"file":"app.key"}"#) == [
                "$.apps[0].keys[0].secret.file: DIR/app.key can be read by everyone; run chmod 600 on it, "
                    + #"or set "allow_insecure_secrets": true at the top on a laptop"#
            ])
        #expect(isRead(try configuration(secret: #"{"file":"app.key"}"#, members: Self.insecure)))
        try directory.scratch.write("app.key", secret, mode: 0o640)
        #expect(isRead(try configuration(secret: #"{"file":"app.key"}"#)))
    }

    @Test(arguments: [
        (String(repeating: "a", count: 42), "found 42 characters; \(again)"),
        (String(repeating: "a", count: 44), "found 44 characters; \(again)"),
        ("\(TestSecret.text(1).dropLast())+", "found 43 characters; \(again)"),
        ("\(TestSecret.text(1).dropLast())B", "found 43 characters; \(again)"),
        ("\(TestSecret.text(1).dropLast())é", "found 43 characters; \(again)"), ("x", "found 1 character; \(again)"),
        (String(repeating: "A", count: 43) + "=", "found 44 characters, which are base64; write - for +, _ for /, and leave the = out"),
        (String(repeating: "0aB9", count: 16), "found 64 characters, \(hexadecimal)"),
        (String(repeating: "0aB9", count: 15) + "0aBg", "found 64 characters; \(again)"),
        (Base64.encode(Array(TestSecret.text(1).utf8).span), "found 60 characters, \(twice)"),
        (Base64.encode(Array("\(TestSecret.text(1))\n".utf8).span), "found 60 characters, \(twice)"),
        ("\(TestSecret.text(1).prefix(20))\n\(TestSecret.text(1).dropFirst(20))", "found 44 characters on 2 lines; join them"),
        ("APP_KEY=" + TestSecret.text(1), "found 51 characters that begin with a name and =; leave only the part after ="),
        ("/etc/deskgate/app-1.key", #"found 23 characters, which look like a path; give it as {"file": "PATH"}"#),
        ("secrets/app-1.key", #"found 17 characters, which look like a path; give it as {"file": "PATH"}"#),
        ("${APP_KEY}", "found 10 characters, \(unfilled)"), ("{{ .Values.key }}", "found 17 characters, \(unfilled)"),
        ("<no value>", "found 10 characters, \(unfilled)"), ("null", "found 4 characters, \(unfilled)"),
    ])
    func `rejects a secret that does not have 32 bytes`(_ text: String, _ finding: String) throws {
        let problem = "$.apps[0].keys[0].secret: expected 43 base64url characters, which are 32 bytes; \(finding)"
        directory.environment["SHOP_KEY"] = text
        #expect(try directory.problems(secret: #"{"env":"SHOP_KEY"}"#) == [problem])
        #expect(try directory.problems(secret: #"{"env":"SHOP_KEY"}"#, members: Self.insecure) == [problem])
    }

    private static let again = "copy it again, or, if none is in use yet, make one with: deskgate secret new"
    private static let hexadecimal =
        "which are hexadecimal; write them as base64url: tr a-f A-F <FILE | basenc --base16 -d | basenc --base64url -w0 | tr -d ="
    private static let twice = "which are base64 of the secret's own characters; decode them once"
    private static let unfilled = "a placeholder that nothing has replaced; put the secret in its place"

    private static let weak: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), Array("correct horse battery staple 123".utf8), (0..<32).map { UInt8($0 % 15) },
    ]

    @Test(arguments: weak)
    func `rejects a secret that is not random`(_ bytes: [UInt8]) throws {
        directory.environment["SHOP_KEY"] = Base64URL.encode(bytes.span)
        #expect(
            try directory.problems(secret: #"{"env":"SHOP_KEY"}"#) == [
                "$.apps[0].keys[0].secret: not random enough to be a secret; make one with: deskgate secret new"
            ])
        #expect(try directory.problems(secret: #"{"env":"SHOP_KEY"}"#, members: Self.insecure) == [])
    }

    @Test func `rejects one secret for two keys`() throws {
        let keys = #"{"id":1,"secret":{"file":"secrets/app-1.key"}},{"id":2,"secret":{"env":"SHOP_KEY"}}"#
        directory.environment["SHOP_KEY"] = secret
        #expect(
            try directory.problems(keys: keys) == [
                "$.apps[0].keys[1].secret: the same secret as $.apps[0].keys[0].secret; give each key a secret of its own"
            ])
        #expect(try directory.problems(keys: keys, members: Self.insecure) == [])
    }

    @Test func `rejects one secret for two apps`() throws {
        let keys = #""keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]"#
        let apps = #""apps":[{"app_id":"shop",\#(keys)},{"app_id":"bank",\#(keys)},{"app_id":"club",\#(keys)}]"#
        let message = "the same secret as $.apps[0].keys[0].secret; give each key a secret of its own"
        #expect(
            try directory.problems("{\(apps)}") == ["$.apps[1].keys[0].secret: \(message)", "$.apps[2].keys[0].secret: \(message)"])
        #expect(try directory.problems("{\(apps),\(Self.insecure)}") == [])
    }
}
