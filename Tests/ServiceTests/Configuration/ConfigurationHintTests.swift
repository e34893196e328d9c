import Configuration
import TestSupport
import Testing

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Suggestions for invalid values.
@Suite struct ConfigurationHintTests {
    @Test(arguments: [
        (#""log":{"level":"warn"}"#, "warning"), (#""log":{"format":"JSON"}"#, "json"), (#""log":{"level":"erorr"}"#, "error"),
        (#""store":{"type":"postgresql"}"#, "postgres"), (#""notifiers":{"log":{"type":"fmc"}}"#, "fcm"),
        (#""notifiers":{"log":{"type":"APNs"}}"#, "apns"),
    ])
    func `the nearest word is suggested`(members: String, word: String) throws {
        let problems = try ConfigurationDirectory().problems(members: members)
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("; did you mean \"\(word)\"?") == true)
    }

    @Test func `a letter of another script in a word is reported`() throws {
        let expected = #"expected one of "debug", "info", "warning", "error""#
        let hint = #"its letter е is Cyrillic; type "debug" in Latin letters"#
        #expect(try ConfigurationDirectory().problems(members: #""log":{"level":"dеbug"}"#) == ["$.log.level: \(expected); \(hint)"])
    }

    @Test(arguments: [136, 255]) func `a long app_id that lost its last character is recognized`(_ length: Int) {
        let digits = (0..<length).map { String($0 * 7 % 10) }.joined()
        #expect(NearestWord.nearest(to: String(digits.dropLast()), in: ["another", digits]) == digits)
    }

    @Test func `a long word without a similar one gets no suggestion`() {
        #expect(NearestWord.nearest(to: String(repeating: "x", count: 100_000), in: [String(repeating: "7", count: 136)]) == nil)
    }

    @Test(arguments: [
        ("host", "port", false), ("all", "app", false), ("prot", "port", true), ("mnit", "mint", true), ("postgresql", "postgres", true),
        ("ios", "iOS", true),
    ])
    func `a short word is similar after one edit or a swap`(_ word: String, known: String, isNear: Bool) {
        #expect((NearestWord.nearest(to: word, in: [known]) == known) == isNear)
    }

    @Test func `a mistyped word is preferred to a prefix`() throws {
        let verify = #""verify":{"url":"https://a.example/","mode":"key_or_backend"}"#
        let json = ConfigurationDirectory.apps.replacing(#""keys""#, with: #"\#(verify),"keys""#)
        let problems = try ConfigurationDirectory().problems("{\(json)}")
        let message = #"expected one of "key", "backend", "key_and_backend"; did you mean "key_and_backend"?"#
        #expect(problems.contains("$.apps[0].verify.mode: \(message)"))
    }

    @Test(arguments: [
        (#""listen":{"idle_timeout_seconds":60000}"#, "found 60000; if that is in milliseconds, give 60"),
        (#""deliveries":{"keep_dead_days":2592000}"#, "found 2592000; if that is in seconds, give 30"),
        (#""store":{"minimum_free_megabytes":104857600}"#, "found 104857600; if that is in bytes, give 100"),
        (#""listen":{"idle_timeout_seconds":3601}"#, "found 3601"),
        (#""listen":{"idle_timeout_seconds":"60"}"#, "found a string; remove the quotes"),
        (#""listen":{"idle_timeout_seconds":"60s"}"#, "found a string; give a number alone, without quotes and unit"),
        (#""listen":{"idle_timeout_seconds":"soon"}"#, "found a string"),
    ])
    func `a number in another unit is converted`(members: String, ending: String) throws {
        let problems = try ConfigurationDirectory().problems(members: members)
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix(", \(ending)") == true)
    }

    @Test func `a time limit in seconds is converted`() throws {
        let verify = #""verify":{"url":"https://a.example/","mode":"backend","timeout_ms":2}"#
        let json = ConfigurationDirectory.apps.replacing(#""keys""#, with: #"\#(verify),"keys""#)
        let problems = try ConfigurationDirectory().problems("{\(json)}")
        let message = "expected an integer from 10 to 10000, found 2; if that is in seconds, give 2000"
        #expect(problems.contains("$.apps[0].verify.timeout_ms: \(message)"))
    }

    @Test(arguments: [
        (#""2026-12-31T00:00:00Z""#, "found a string; give seconds since 1970, as date -u -d DATE +%s prints them"),
        ("1790000000000", "found 1790000000000; if that is in milliseconds, give 1790000000"),
        (#""1790000000""#, "found a string; remove the quotes"),
    ])
    func `the hint for a date requests seconds`(value: String, ending: String) throws {
        let problems = try ConfigurationDirectory().problems(keys: #"{"id":1,"secret":{"file":"secrets/app-1.key"},"not_after":\#(value)}"#)
        #expect(problems == ["$.apps[0].keys[0].not_after: expected an integer from 1 to 1099511627775, \(ending)"])
    }
}
