import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationOperatorTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["TOKEN"] = TestSecret.text(20)
        directory.environment["SIGNING"] = TestSecret.signing(21)
    }

    private static func json(_ operators: String) -> String {
        """
        {\(ConfigurationDirectory.apps),"operators":{\(operators)},
         "notifiers":{"log":{"type":"log"},"push":{"type":"rustore","project_id":"p","token":{"env":"TOKEN"}},"relay":{"type":"pyrus"},
                      "pager":{"type":"http","url":"https://example.com","secret":{"env":"SIGNING"},"keeps_ticket_order":true}}}
        """
    }

    @Test func `no notifier reports to operators by default`() throws {
        let operators = try directory.configuration("{\(ConfigurationDirectory.apps)}").operators
        #expect(operators == Configuration.Operators())
        #expect(operators.servesPage)
        #expect(operators.notifiers == [])
        #expect(operators.thresholds == OperatorThresholds())
    }

    @Test func `the listed notifiers report to operators`() throws {
        let configuration = try directory.configuration(
            Self.json(#""notifiers":["pager","log"],"thresholds":{"paused_seconds":5,"denials":3,"disk_free_megabytes":0}"#))
        #expect(
            configuration.operatorSubscriptions == [
                Subscription(notifier: "pager", keepsOrder: true), Subscription(notifier: "log"),
            ])
        #expect(configuration.operators.thresholds.pausedSeconds == 5)
        #expect(configuration.operators.thresholds.denials == 3)
        #expect(configuration.operators.thresholds.diskFreeMegabytes == 0)
        #expect(configuration.operators.thresholds.expiresDays == 14)
    }

    @Test(
        arguments: [
            (#""notifiers":["logs"]"#, #"$.operators.notifiers[0]: no notifier has this name; did you mean "log"?"#),
            (
                #""notifiers":["log","push"]"#,
                "$.operators.notifiers[1]: a notifier of type \"rustore\" delivers no events for operators; use one of type \"http\" or \"log\""
            ),
            (
                #""notifiers":["relay"]"#,
                "$.operators.notifiers[0]: a notifier of type \"pyrus\" delivers no events for operators; use one of type \"http\" or \"log\""
            ),
            (#""notifiers":["log","log"]"#, "$.operators.notifiers[1]: this notifier is listed twice"),
            (#""notifiers":[1]"#, "$.operators.notifiers[0]: expected the name of a notifier, found a number"),
            (#""notifiers":"log""#, #"$.operators.notifiers: expected a list, found a string; write ["…"]"#),
            (#""thresholds":{"paused_seconds":0}"#, "$.operators.thresholds.paused_seconds: expected an integer from 1 to 86400, found 0"),
            (#""thresholds":{"denials":0}"#, "$.operators.thresholds.denials: expected an integer from 1 to 1000000000, found 0"),
        ])
    func `mistakes are reported with their path`(operators: String, problem: String) throws {
        #expect(try directory.problems(Self.json(operators)) == [problem])
    }
}
