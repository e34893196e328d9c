import Core
import Crypto
import HTTPServer
import Observability
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The values of keys: defaults, ranges, kinds.
@Suite struct ConfigurationValueTests {
    @Test func `all except the apps have defaults`() throws {
        let configuration = try ConfigurationDirectory().configuration("{\(ConfigurationDirectory.apps)}")
        #expect(configuration.listen.address == .tcp(host: "127.0.0.1", port: 8080))
        #expect(configuration.listen.settings == ServerSettings(connectionLimit: 10_000, idleTimeoutSeconds: 75))
        #expect(configuration.admin.listener.address == .tcp(host: "127.0.0.1", port: 9090))
        #expect(configuration.admin.listener.settings == ServerSettings(connectionLimit: 1000))
        #expect(configuration.admin.tokens.isEmpty)
        #expect(!configuration.admin.metricsNeedToken)
        #expect(!configuration.reloadsOnChange)
        #expect(configuration.apps[0].shadowUntil == nil)
        #expect(configuration.apps.map(\.id) == ["shop"])
        #expect(configuration.apps[0].keys.map(\.id) == [1])
        #expect(configuration.apps[0].webhook == nil)
        #expect(configuration.apps[0].notifiers == ["log"])
        #expect(configuration.notifiers.map(\.name) == ["log"])
        #expect(configuration.store.maximumPending == 1_000_000)
        #expect(configuration.store.minimumFreeMegabytes == 100)
        #expect(configuration.deliveries == Configuration.Deliveries(expireAfterSeconds: 86_400, keepDeliveredDays: 7, keepDeadDays: 30))
        #expect(configuration.keyPolicy == KeyPolicy(clockSkewSeconds: 60, maximumLifetimeSeconds: nil))
        #expect(configuration.defaultLifetimeSeconds == 7 * 24 * 3600)
        #expect(configuration.log == Configuration.Log(level: .info, format: .json))
        #expect(configuration.drainSeconds == 20)
    }

    @Test func `are the same in empty objects`() throws {
        let directory = try ConfigurationDirectory()
        let configuration = try directory.configuration(
            members: #""listen":{},"admin":{},"notifiers":{"log":{"type":"log"}},"store":{},"deliveries":{},"security_keys":{},"#
                + #""log":{},"shutdown":{},"allow_insecure_secrets":false"#)
        let bare = try directory.configuration("{\(ConfigurationDirectory.apps)}")
        #expect(configuration.fixedKeys(differingFrom: bare) == [])
        #expect(configuration.keyPolicy == bare.keyPolicy)
        #expect(configuration.defaultLifetimeSeconds == bare.defaultLifetimeSeconds)
    }

    @Test(arguments: [
        ("listen", "port", 0, 65535), ("listen", "max_connections", 1, 1_000_000), ("listen", "idle_timeout_seconds", 1, 3600),
        ("listen", "request_timeout_seconds", 1, 3600), ("admin", "port", 0, 65535), ("admin", "max_connections", 1, 1_000_000),
        ("admin", "idle_timeout_seconds", 1, 3600), ("admin", "request_timeout_seconds", 1, 3600),
        ("security_keys", "clock_skew_seconds", 0, 3600), ("security_keys", "longest_life_seconds", 1, 1_099_511_627_775),
        ("store", "revocations_max_age_seconds", 60, 2_592_000), ("store", "max_pending", 1, 1_000_000_000),
        ("store", "minimum_free_megabytes", 0, 1_000_000),
        ("deliveries", "expire_after_seconds", 1, 2_592_000), ("deliveries", "keep_delivered_days", 0, 3650),
        ("deliveries", "keep_dead_days", 0, 3650), ("security_keys", "default_life_seconds", 0, 1_099_511_627_775),
        ("shutdown", "drain_seconds", 0, 3600),
    ])
    func `must be within their range`(part: String, key: String, lowest: Int, highest: Int) throws {
        let directory = try ConfigurationDirectory()
        for number in [lowest, highest] {
            #expect(try directory.problems(members: #""\#(part)":{"\#(key)":\#(number)}"#) == [])
        }
        let expectation = "$.\(part).\(key): expected an integer from \(lowest) to \(highest), found"
        for (text, found) in [
            ("\(lowest - 1)", "\(lowest - 1)"), ("\(highest + 1)", "\(highest + 1)"), ("9223372036854775807", "9223372036854775807"),
            ("\(lowest).0", "a number with a fraction or an exponent"), ("1e2", "a number with a fraction or an exponent"),
            ("\"\(lowest)\"", "a string; remove the quotes"), ("null", "null"), ("true", "true or false"),
            ("[]", "a list"), ("{}", "an object"), (#""""#, "an empty string"),
        ] {
            #expect(try directory.problems(members: #""\#(part)":{"\#(key)":\#(text)}"#) == ["\(expectation) \(found)"])
        }
    }

    @Test func `can be set`() throws {
        let configuration = try ConfigurationDirectory().configuration(
            members: """
                "listen":{"host":"::1","port":1,"max_connections":2,"idle_timeout_seconds":3,"request_timeout_seconds":4},
                "admin":{"unix":"admin.sock","max_connections":5,"idle_timeout_seconds":6,"request_timeout_seconds":7,
                         "token":{"file":"secrets/admin-token"},"metrics_need_token":true},
                "security_keys":{"clock_skew_seconds":8,"longest_life_seconds":9,"default_life_seconds":9},
                "log":{"level":"warning","format":"text"},"shutdown":{"drain_seconds":10}
                """)
        #expect(configuration.listen.address == .tcp(host: "::1", port: 1))
        #expect(
            configuration.listen.settings
                == ServerSettings(connectionLimit: 2, idleTimeoutSeconds: 3, requestTimeoutMilliseconds: 4000))
        #expect(
            configuration.admin.listener.settings
                == ServerSettings(connectionLimit: 5, idleTimeoutSeconds: 6, requestTimeoutMilliseconds: 7000))
        #expect(configuration.admin.tokens.map(\.secret.count) == [43])
        #expect(configuration.admin.metricsNeedToken)
        #expect(configuration.keyPolicy == KeyPolicy(clockSkewSeconds: 8, maximumLifetimeSeconds: 9))
        #expect(configuration.defaultLifetimeSeconds == 9)
        #expect(configuration.log == Configuration.Log(level: .warning, format: .text))
        #expect(configuration.drainSeconds == 10)
    }

    @Test(arguments: [
        ("debug", LogLevel.debug), ("info", LogLevel.info), ("warning", LogLevel.warning), ("error", LogLevel.error),
    ])
    func `include every log level`(name: String, level: LogLevel) throws {
        #expect(try ConfigurationDirectory().configuration(members: #""log":{"level":"\#(name)"}"#).log.level == level)
    }

    @Test func `resolve paths from the file's directory`() throws {
        let directory = try ConfigurationDirectory()
        let relative = try directory.configuration(members: #""listen":{"unix":"run/public.sock"}"#)
        #expect(relative.listen.address == .unix(path: directory.scratch.path("run/public.sock")))
        let absolute = try directory.configuration(members: #""listen":{"unix":"/run/public.sock"}"#)
        #expect(absolute.listen.address == .unix(path: "/run/public.sock"))
    }

    @Test(arguments: [
        (#""listen":{"unix":"a","port":1}"#, #"$.listen.port: give "unix" or "host" and "port", not both"#),
        (#""admin":{"unix":"a","host":"b"}"#, #"$.admin.host: give "unix" or "host" and "port", not both"#),
        (#""listen":{"unix":7}"#, "$.listen.unix: expected a non-empty string, found a number"),
        (#""listen":{"host":"a\u0000b"}"#, "$.listen.host: expected a string without the character U+0000"),
        (#""listen":null"#, "$.listen: expected an object, found null"),
        (#""log":{"level":3}"#, "$.log.level: expected a non-empty string, found a number"),
        (#""admin":{"metrics_need_token":true}"#, #"$.admin.token: missing, and "metrics_need_token" is true"#),
        (
            #""admin":{"metrics_need_token":"true"}"#,
            "$.admin.metrics_need_token: expected true or false, found a string; remove the quotes"
        ),
        (#""admin":{"metrics_need_token":null}"#, "$.admin.metrics_need_token: expected true or false, found null"),
    ])
    func `mistakes are reported`(member: String, problem: String) throws {
        #expect(try ConfigurationDirectory().problems(members: member) == [problem])
    }

    @Test(arguments: [(0, 100), (101, 100)])
    func `the default lifetime is at most the longest one`(standard: Int, longest: Int) throws {
        let member = #""security_keys":{"longest_life_seconds":\#(longest),"default_life_seconds":\#(standard)}"#
        #expect(
            try ConfigurationDirectory().problems(members: member) == [
                #"$.security_keys.default_life_seconds: expected from 1 to 100, which is "longest_life_seconds"; 0 would be for ever"#
            ])
    }

    @Test func `the default lifetime is shortened to the longest one`() throws {
        let configuration = try ConfigurationDirectory().configuration(members: #""security_keys":{"longest_life_seconds":100}"#)
        #expect(configuration.defaultLifetimeSeconds == 100)
    }
}
