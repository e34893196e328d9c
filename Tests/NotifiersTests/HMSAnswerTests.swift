import Core
import Testing

@testable import Notifiers

@Suite struct HMSAnswerTests {
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)
    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)

    @Test(
        arguments: [
            ("80000000", .delivered, nil), ("80100000", later, nil), ("80100001", .dead, nil), ("80100003", .dead, nil),
            ("80100004", .dead, nil), ("80100013", .dead, nil), ("80100016", .dead, nil), ("80100018", .dead, nil),
            // Not in the table, but in the range of invalid requests.
            ("80199999", .dead, nil), ("80200001", .misconfigured, .mintToken), ("80200003", .misconfigured, .mintToken),
            ("80300002", .misconfigured, nil), ("80300007", gone, .askAlarm), ("80300008", .dead, .shorten), ("80300010", .dead, nil),
            ("80300011", .misconfigured, nil), ("80300013", .misconfigured, nil), ("80600003", .misconfigured, nil),
            ("81000001", later, nil),
        ] as [(String, DeliveryOutcome.Verdict, NextStep?)])
    func `the code decides`(code: String, verdict: DeliveryOutcome.Verdict, step: NextStep?) {
        let expected = ProviderAnswer(DeliveryOutcome(verdict, reason: "hms_\(code)"), step: step)
        for status in [200, 400, 401, 500] {
            for text in ["\"\(code)\"", code] {
                let body = "{\"msg\":\"m\",\"code\":\(text),\"requestId\":\"1\"}"
                #expect(HMSAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil) == expected)
            }
        }
    }

    /// A response about several tokens is read like one about a single token: only its part about this token matters.
    @Test(
        arguments: [
            (#"{"success":1,"failure":1,"illegal_tokens":["ours"]}"#, gone, "hms_80300007", .askAlarm),
            (#"{"success":0,"failure":1,"illegal_tokens":["ours"]}"#, gone, "hms_80300007", .askAlarm),
            (#"{"success":1,"failure":2,"illegal_tokens":["other","ours"]}"#, gone, "hms_80300007", .askAlarm),
            (#"{"illegal_tokens":["ours"]}"#, gone, "hms_80300007", .askAlarm),
            (#"{"success":1,"failure":1,"illegal_tokens":["other"]}"#, .delivered, "hms_80000000", nil),
            (#"{"success":1,"failure":0,"illegal_tokens":[]}"#, .delivered, "hms_80000000", nil),
            // The response does not show that this token's push has arrived.
            (#"{"success":0,"failure":1,"illegal_tokens":["other"]}"#, later, "hms_80100000", nil),
            (#"{"success":0,"failure":1,"illegal_tokens":[]}"#, later, "hms_80100000", nil),
            (#"{"failure":1,"illegal_tokens":["other"]}"#, later, "hms_80100000", nil),
            (#"{"success":"1","failure":1,"illegal_tokens":["OURS","ours "]}"#, later, "hms_80100000", nil),
            (#"{"success":1,"failure":1,"illegal_tokens":null}"#, later, "hms_80100000", nil),
            (#"{"success":1,"failure":1,"illegal_tokens":"ours"}"#, later, "hms_80100000", nil),
            (#"{"success":1,"failure":1}"#, later, "hms_80100000", nil), ("Success", later, "hms_80100000", nil),
        ] as [(String, DeliveryOutcome.Verdict, String, NextStep?)])
    func `a partial success is evaluated for the token`(
        message: String, verdict: DeliveryOutcome.Verdict, word: String, step: NextStep?
    ) {
        let reported = message.replacing("\"", with: "\\\"")
        let body = #"{"code":"80100000","msg":"\#(reported)","requestId":"1"}"#
        let answer = HMSAnswer.of(status: 200, body: Array(body.utf8), token: "ours", retryAfter: nil)
        #expect(answer == ProviderAnswer(verdict, word, step: step))
    }

    @Test(
        arguments: [
            (200, later, nil), (400, .dead, nil), (401, .misconfigured, .mintToken), (403, .misconfigured, nil), (404, .misconfigured, nil),
            (500, later, nil), (502, later, nil),
        ] as [(Int, DeliveryOutcome.Verdict, NextStep?)])
    func `without a code the status decides`(status: Int, verdict: DeliveryOutcome.Verdict, step: NextStep?) {
        let expected = ProviderAnswer(DeliveryOutcome(verdict, reason: "status_\(status)"), step: step)
        let bodies = [
            "", "<html>", "[]", "{}", "{\"code\":null}", "{\"code\":\"0\"}", "{\"code\":\"80399999\"}", "{\"code\":true}",
            // Unknown text in the body must not reach a metric.
            "{\"code\":\"801\"}", "{\"code\":\"801abcde\"}", "{\"code\":\"801000160\"}", "{\"code\":8010001.6}", "{\"code\":\"801１234\"}",
        ]
        for body in bodies {
            #expect(HMSAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil) == expected)
        }
    }

    @Test(arguments: [429, 503])
    func `flow control slows down`(status: Int) {
        for (asked, wait) in [(nil, 60_000), (9000, 9000)] as [(UInt64?, UInt64)] {
            let expected = DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "status_\(status)", requestsBackoff: true)
            #expect(HMSAnswer.of(status: status, body: [], retryAfter: asked) == ProviderAnswer(expected))
        }
    }
}
