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
            // None of the table, but of those that find something wrong with the request.
            ("80199999", .dead, nil), ("80200001", .misconfigured, .mintToken), ("80200003", .misconfigured, .mintToken),
            ("80300002", .misconfigured, nil), ("80300007", gone, .askAlarm), ("80300008", .dead, .shorten), ("80300010", .dead, nil),
            ("80300011", .misconfigured, nil), ("80300013", .misconfigured, nil), ("80600003", .misconfigured, nil),
            ("81000001", later, nil),
        ] as [(String, DeliveryOutcome.Verdict, NextStep?)])
    func theCodeDecides(code: String, verdict: DeliveryOutcome.Verdict, step: NextStep?) {
        let expected = ProviderAnswer(DeliveryOutcome(verdict, reason: "hms_\(code)"), step: step)
        for status in [200, 400, 401, 500] {
            for text in ["\"\(code)\"", code] {
                let body = "{\"msg\":\"m\",\"code\":\(text),\"requestId\":\"1\"}"
                #expect(HMSAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil) == expected)
            }
        }
    }

    @Test(
        arguments: [
            (#"["ours"]"#, gone, .askAlarm), (#"["other","ours"]"#, gone, .askAlarm), (#"["other"]"#, .delivered, nil),
            ("[]", .delivered, nil),
            ("null", later, nil), (#""ours""#, later, nil),
        ] as [(String, DeliveryOutcome.Verdict, NextStep?)])
    func aPartialSuccessEndsOnlyTheTokensThatItNames(list: String, verdict: DeliveryOutcome.Verdict, step: NextStep?) {
        let told = #"{\"success\":1,\"failure\":1,\"illegal_tokens\":"# + list.replacing("\"", with: "\\\"") + "}"
        let body = #"{"code":"80100000","msg":""# + told + #"","requestId":"1"}"#
        let answer = HMSAnswer.of(status: 200, body: Array(body.utf8), token: "ours", retryAfter: nil)
        #expect(answer == ProviderAnswer(verdict, "hms_80100000", step: step))
    }

    @Test(
        arguments: [
            (200, later, nil), (400, .dead, nil), (401, .misconfigured, .mintToken), (403, .misconfigured, nil), (404, .misconfigured, nil),
            (500, later, nil), (502, later, nil),
        ] as [(Int, DeliveryOutcome.Verdict, NextStep?)])
    func elseTheStatusDoes(status: Int, verdict: DeliveryOutcome.Verdict, step: NextStep?) {
        let expected = ProviderAnswer(DeliveryOutcome(verdict, reason: "status_\(status)"), step: step)
        let bodies = [
            "", "<html>", "[]", "{}", "{\"code\":null}", "{\"code\":\"0\"}", "{\"code\":\"80399999\"}", "{\"code\":true}",
            // What stands in the body may not reach a metric, unless it is a code.
            "{\"code\":\"801\"}", "{\"code\":\"801abcde\"}", "{\"code\":\"801000160\"}", "{\"code\":8010001.6}", "{\"code\":\"801１234\"}",
        ]
        for body in bodies {
            #expect(HMSAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil) == expected)
        }
    }

    @Test(arguments: [429, 503])
    func theFlowIsControlled(status: Int) {
        for (asked, wait) in [(nil, 60_000), (9000, 9000)] as [(UInt64?, UInt64)] {
            let expected = DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "status_\(status)", slowsDown: true)
            #expect(HMSAnswer.of(status: status, body: [], retryAfter: asked) == ProviderAnswer(expected))
        }
    }
}
