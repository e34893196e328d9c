import Core
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationPushTokensTests {
    private func member(_ limits: String...) -> String {
        #""push_tokens":{"limits":[\#(limits.joined(separator: ","))]}"#
    }

    @Test func `limits can be set`() throws {
        let limits = member(
            #"{"per":"device","max":1000,"window_seconds":60}"#, #"{"per":"service","max":1000000,"window_seconds":1}"#)
        #expect(
            try ConfigurationDirectory().configuration(members: limits).pushTokens.limits == [
                LimitRule(per: .device, max: 1000, windowMilliseconds: 60_000),
                LimitRule(per: .service, max: 1_000_000, windowMilliseconds: 1000),
            ])
    }

    @Test(arguments: [
        (#"{"per":"user","max":1001,"window_seconds":1}"#, "max: expected an integer from 1 to 1000, found 1001"),
        (#"{"per":"device","max":0,"window_seconds":1}"#, "max: expected an integer from 1 to 1000, found 0"),
        (#"{"per":"app","max":1000001,"window_seconds":1}"#, "max: expected an integer from 1 to 1000000, found 1000001"),
        (#"{"per":"app","max":1}"#, #"window_seconds: missing; a limit looks like {"per": "user", "max": 1, "window_seconds": 300}"#),
    ])
    func `mistakes in limits are reported`(limit: String, problem: String) throws {
        #expect(try ConfigurationDirectory().problems(members: member(limit)) == ["$.push_tokens.limits[0].\(problem)"])
    }
}
