import Core
import Testing

@testable import Configuration

/// `apps[].security_keys`: the lifetimes of an app's keys.
@Suite struct ConfigurationKeyLifeTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
    }

    private static func json(app: String, common: String = "{}") -> String {
        let keys = #"[{"id":1,"secret":{"file":"secrets/app-1.key"}}]"#
        return #"{"apps":[{"app_id":"shop","keys":\#(keys),"security_keys":\#(app)}],"security_keys":\#(common)}"#
    }

    @Test(
        arguments: [
            ("{}", "{}", nil, 604_800), (#"{"longest_life_seconds":100}"#, "{}", 100, 100),
            (#"{"longest_life_seconds":9000000}"#, "{}", 9_000_000, 604_800),
            (#"{"longest_life_seconds":100,"default_life_seconds":50}"#, "{}", 100, 50),
            (#"{"default_life_seconds":0}"#, "{}", nil, 0), (#"{"default_life_seconds":70}"#, #"{"longest_life_seconds":100}"#, nil, 70),
            ("{}", #"{"longest_life_seconds":100}"#, nil, 100), ("{}", #"{"default_life_seconds":0}"#, nil, 0),
            (#"{"longest_life_seconds":100}"#, #"{"default_life_seconds":0}"#, 100, 100),
            (#"{"longest_life_seconds":100}"#, #"{"longest_life_seconds":100,"default_life_seconds":20}"#, 100, 20),
        ] as [(String, String, UInt64?, UInt64)])
    func `overrides the common limits`(app: String, common: String, longest: UInt64?, standard: UInt64) throws {
        let configuration = try directory.configuration(Self.json(app: app, common: common))
        #expect(configuration.apps.map(\.keyLifetime) == [KeyLifetime(maximumSeconds: longest, defaultSeconds: standard)])
    }

    @Test func `has the common limits by default`() throws {
        let configuration = try directory.configuration("{\(ConfigurationDirectory.apps)}")
        #expect(configuration.apps.map(\.keyLifetime) == [KeyLifetime()])
    }

    @Test(arguments: [
        (
            #"{"longest_life_seconds":101}"#, #"{"longest_life_seconds":100}"#,
            "longest_life_seconds: expected at most 100, which is $.security_keys.longest_life_seconds; older keys of every app are denied"
        ),
        (
            #"{"longest_life_seconds":10,"default_life_seconds":11}"#, "{}",
            #"default_life_seconds: expected from 1 to 10, which is "longest_life_seconds"; 0 would be for ever"#
        ),
        (
            #"{"default_life_seconds":0}"#, #"{"longest_life_seconds":100}"#,
            #"default_life_seconds: expected from 1 to 100, which is "longest_life_seconds"; 0 would be for ever"#
        ),
        (#"{"longest_life_seconds":0}"#, "{}", "longest_life_seconds: expected an integer from 1 to 1099511627775, found 0"),
        (
            #"{"clock_skew_seconds":1}"#, "{}",
            "clock_skew_seconds: unknown key; it belongs to $.security_keys"
        ),
    ])
    func `mistakes are reported`(app: String, common: String, problem: String) throws {
        #expect(try directory.problems(Self.json(app: app, common: common)) == ["$.apps[0].security_keys.\(problem)"])
    }
}
