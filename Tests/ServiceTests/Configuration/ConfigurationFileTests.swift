import Configuration
import Glibc
import POSIX
import Service
import TestSupport
import Testing

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

@Suite struct ConfigurationFileTests {
    private static let emptiness =
        "the file is empty; if it was not, restore its contents: a new one has new secrets, and all minted keys become invalid; on a new "
        + "machine remove it, and run deskgate init"

    private static func absence(in directory: String) -> String {
        "$: no such file; if there was one, put it back: a new one has new secrets, and all minted keys become invalid; on a new machine: "
            + "deskgate init \(directory) --app ID"
    }

    @Test(arguments: [
        ("", "$: line 1, column 1: \(Self.emptiness)"),
        (" \n", "$: line 1, column 1: \(Self.emptiness)"),
        ("{\"apps\": [\n  {\"app_id\": \"shop\",}\n]}", "$: line 2, column 20: not valid JSON: a comma too many before }; remove it"),
        ("{\n\"log\": {},\n\"log\": {}}", "$: line 3, column 1: duplicate key: $.log is in line 2, too; remove one of them"),
        ("{\"apps\": [", "$: line 1, column 10: not valid JSON: this [ is never closed"),
        ("{}{}", "$: line 1, column 3: more text after the end of the JSON value"),
        ("\u{FEFF}{}", "$: line 1, column 1: not valid JSON: starts with a byte order mark; save it as UTF-8 without one"),
        (
            "{\"listen\": {\"port\": 99999999999999999999}}",
            "$: line 1, column 40: $.listen.port: number out of range; give an integer from 0 to 65535"
        ),
        (
            #"{"apps": [{}, {"keys": [{"id": 1e400}]}]}"#,
            "$: line 1, column 36: $.apps[1].keys[0].id: number out of range; give an integer from 0 to 4294967295"
        ),
        (#"{"x": 1e400}"#, "$: line 1, column 11: $.x: number out of range; give a smaller one"),
        (
            "<<<<<<< HEAD\n{}\n",
            "$: line 1, column 1: not valid JSON: a mark of a merge conflict; keep one of the two versions, and remove the marks"
        ),
        (
            #"{"apiVersion":"v1","kind":"ConfigMap","data":{"config.json":"{}"}}"#,
            #"$: an object of Kubernetes; give the text in its "data", which a volume of it holds as a file"#
        ),
        ("[]", "$: expected an object, found a list"),
        ("\"text\"", "$: expected an object, found a string"),
        ("null", "$: expected an object, found null"),
        ("1", "$: expected an object, found a number"),
        ("1.5", "$: expected an object, found a number with a fraction or an exponent"),
        ("true", "$: expected an object, found true or false"),
    ])
    func `is rejected`(_ json: String, problem: String) throws {
        #expect(try ConfigurationDirectory().problems(json) == [problem])
    }

    @Test func `a switch in place of an object is reported`() throws {
        let directory = try ConfigurationDirectory()
        let finding = "$.log: expected an object, found true or false"
        #expect(try directory.problems(members: #""log":true"#) == ["\(finding); write {} for its defaults"])
        #expect(try directory.problems(members: #""log":false"#) == ["\(finding); leave the key out"])
    }

    @Test(arguments: ["listen:\n  port: 8080\n", "---\nlisten: {}\n", "- a\n", "[listen]\nport = 8080\n", "PORT=8080\n", "<html></html>\n"])
    func `another format is reported`(_ text: String) throws {
        let problems = try ConfigurationDirectory().problems(text)
        let message = "the file is no JSON, which is one object in { and }; deskgate init makes one to begin with"
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix(": \(message)") == true)
    }

    @Test func `must be UTF-8`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("config.json", [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
        #expect(Self.problems(directory.file) == ["$: line 1, column 2: invalid UTF-8; save the file as UTF-8"])
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], [0xFE, 0xFF, 0, 0x7B, 0, 0x7D], [0x7B, 0, 0x7D, 0], [0, 0x7B, 0, 0x7D],
            [0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0, 0x7D, 0, 0, 0],
        ] as [[UInt8]])
    func `another encoding is reported`(_ bytes: [UInt8]) throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("config.json", bytes)
        #expect(Self.problems(directory.file) == ["$: line 1, column 1: the file is UTF-16 or UTF-32; save it as UTF-8"])
    }

    @Test func `every duplicate key is reported`() throws {
        let json = """
            {"apps": [{"app_id": "shop",
              "app_id": "shop"}],
             "log": {"level": "info",
                     "le\\u0076el": "debug"}}
            """
        #expect(
            try ConfigurationDirectory().problems(json) == [
                "$: line 2, column 3: duplicate key: $.apps[0].app_id is in line 1, too; remove one of them",
                "$: line 4, column 10: duplicate key: $.log.level is in line 3, too; remove one of them",
            ])
    }

    @Test func `a duplicate key that may be a secret is not shown`() throws {
        let secret = TestSecret.text(1)
        let problems = try ConfigurationDirectory().problems(#"{"\#(secret)": 1, "\#(secret)": 2}"#)
        #expect(problems.count == 1)
        #expect(!problems.joined().contains(secret))
    }

    @Test func `each mistake has its line, column and app id`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write(
            "config.json",
            """
            {"apps": [
              {"app_id": "one", "keys": [{"id": 1, "secret": {"file": "secrets/app-1.key"}}]},
              {"app_id": "two",
               "keys": [7]}
             ],
             "notifiers": {"a": {"type": "log"}, "a.b": {"type": "log",
                "urll": 1}, "c": {}},
             "admin": {"tls": {"certificate": ""}}
            }
            """)
        let file = directory.file
        let error = #expect(throws: ConfigurationError.self) { try Configuration(contentsOf: file) }
        let lines = try #require(error).description.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("\(file):8:20: $.admin.tls.certificate: expected ") })
        #expect(lines.contains { $0.hasPrefix("\(file):8:12: $.admin.tls.key: missing; ") })
        #expect(lines.contains { $0.hasPrefix("\(file):4:13: $.apps[1].keys[0] (app_id \"two\"): expected ") })
        #expect(lines.contains { $0.hasPrefix("\(file):7:5: $.notifiers.a.b.urll: unknown key; ") })
        #expect(lines.contains { $0.hasPrefix("\(file):7:17: $.notifiers.c.type: missing; ") })
    }

    @Test func `must exist`() throws {
        let scratch = try ConfigurationDirectory().scratch
        #expect(Self.problems(scratch.path("none.json")) == [Self.absence(in: scratch.path)])
    }

    @Test func `a dangling symbolic link is reported with its target`() throws {
        let scratch = try ConfigurationDirectory().scratch
        #expect(unsafe symlink("none.json", scratch.path("link.json")) == 0)
        let problem = try #require(Self.problems(scratch.path("link.json")).first)
        #expect(problem.hasPrefix("$: no such file: it is a link to none.json, which is missing; if there was one, put it back: "))
    }

    @Test func `must be a file`() throws {
        let directory = try ConfigurationDirectory()
        #expect(Self.problems(directory.scratch.path) == ["$: cannot be read: Is a directory"])
        #expect(Self.problems("/dev/null") == ["$: no file, but an empty device or pipe; give the path of a file"])
        #expect(Self.problems("\(directory.file)/none") == [Self.absence(in: directory.file)])
    }

    /// `mv` by root replaces the service's file with a file of root.
    @Test(.enabled(if: getuid() == 0, "only root has other users' rights"))
    func `a file that the service cannot read is reported with its owner and the command`() async {
        await #expect(processExitsWith: .success) {
            let directory = try ConfigurationDirectory()
            #expect(unsafe chmod(directory.scratch.path, 0o755) == 0)
            let places: [(name: String, owner: uid_t, mode: mode_t)] = [("etc", 12_345, 0o755), ("closed", 0, 0o700)]
            for place in places {
                try directory.scratch.write("\(place.name)/config.json", "{}")
                #expect(unsafe chmod(directory.scratch.path(place.name), place.mode) == 0)
                #expect(unsafe chown(directory.scratch.path(place.name), place.owner, place.owner) == 0)
            }
            let (file, hidden) = (directory.scratch.path("etc/config.json"), directory.scratch.path("closed/config.json"))
            func found(_ path: String) throws -> [String] {
                try Process.asOwner(of: file) { () throws(SystemError) in
                    // A service that does not run as root never uses another user's permissions.
                    let rights = Process.rightsInForce.map { " \($0)" } ?? ""
                    return Self.problems(path).map { $0.replacing(rights, with: "") }
                }
            }
            #expect(unsafe chmod(file, 0o600) == 0)
            let reason = "$: cannot be read: Permission denied"
            #expect(try found(file) == ["\(reason); it belongs to root: as root, run chown 12345 \(file)"])
            #expect(unsafe chown(file, 12_345, 12_345) == 0)
            #expect(unsafe chmod(file, 0) == 0)
            #expect(try found(file) == ["\(reason); it belongs to this user: run chmod u+r on it"])
            let closed = directory.scratch.path("closed")
            #expect(try found(hidden) == ["\(reason); \(closed) belongs to root: as root, let user 12345 enter it"])
        }
    }

    @Test func `must have a limited size`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.writeSparse("config.json", size: 16 * 1024 * 1024 + 1)
        #expect(Self.problems(directory.file) == ["$: cannot be read: File too large"])
    }

    @Test func `is part of each error`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("config.json", #"{"apps":[],"log":[]}"#)
        #expect {
            try Configuration(contentsOf: directory.file)
        } throws: { error in
            "\(error)"
                == "\(directory.file):1:2: $.apps: expected at least one app\n"
                + "\(directory.file):1:12: $.log: expected an object, found a list"
        }
    }

    @Test func `reports every mistake in the order of the parts`() throws {
        let json = """
            {"log":{"level":"loud","format":"xml"},"apps":[{"app_id":"","keys":[]},{"keys":[{"id":-1}]},7],"lisen":{},
             "admin":{"port":70000,"metrics_need_token":1},"listen":{"host":1,"max_connections":0},
             "shutdown":{"drain_seconds":"soon"},"security_keys":{"clock_skew_seconds":3601},"allow_insecure_secrets":"yes"}
            """
        #expect(
            try ConfigurationDirectory().problems(json) == [
                #"$.lisen: unknown key; did you mean "listen"?"#,
                "$.allow_insecure_secrets: expected true or false, found a string",
                "$.security_keys.clock_skew_seconds: expected an integer from 0 to 3600, found 3601",
                "$.listen.max_connections: expected an integer from 1 to 1000000, found 0",
                "$.listen.host: expected a non-empty string, found a number",
                "$.admin.port: expected an integer from 0 to 65535, found 70000",
                "$.admin.metrics_need_token: expected true or false, found a number",
                "$.apps[0].app_id: expected a non-empty string, found an empty string",
                "$.apps[0].keys: expected at least one key",
                "$.apps[1].app_id: missing; give the app_id that the help desk shows",
                "$.apps[1].keys[0].id: expected an integer from 0 to 4294967295, found -1",
                #"$.apps[1].keys[0].secret: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#,
                "$.apps[2]: expected an object, found a number",
                #"$.log.level: expected one of "debug", "info", "warning", "error""#,
                #"$.log.format: expected one of "json", "text""#,
                "$.shutdown.drain_seconds: expected an integer from 0 to 3600, found a string",
            ])
    }

    private static func problems(_ path: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration(contentsOf: path)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
