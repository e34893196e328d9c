import Core
import Testing

@testable import Notifiers

@Suite struct FCMAnswerTests {
    private static let gone = DeliveryOutcome.Verdict.deviceGone(since: nil)
    private static let later = DeliveryOutcome.Verdict.retry(retryAfterMilliseconds: nil)

    /// An error in FCM's form; without a code it comes from a server in front of FCM.
    private func body(status: String, code: String?, field: String) -> [UInt8] {
        let violations = "{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[{\"field\":\"\(field)\"}]}"
        let detail = code.map { ",{\"@type\":\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"\($0)\"}" }
        return Array(
            "{\"error\":{\"code\":1,\"message\":\"m\",\"status\":\"\(status)\",\"details\":[\(violations)\(detail ?? "")]}}".utf8)
    }

    private func answer(_ status: Int, name: String, code: String?, field: String = "message.data", retryAfter: UInt64? = nil)
        -> ProviderAnswer
    {
        FCMAnswer.of(status: status, body: body(status: name, code: code, field: field), retryAfter: retryAfter)
    }

    @Test(
        arguments: [
            (404, "NOT_FOUND", "UNREGISTERED", gone, "unregistered", nil),
            (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", gone, "sender_id_mismatch", .askAlarm),
            (403, "PERMISSION_DENIED", nil, .misconfigured, "permission_denied", nil),
            (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .dead, "invalid_argument", nil),
            (400, "INVALID_ARGUMENT", nil, .dead, "invalid_argument", nil),
            (400, "FAILED_PRECONDITION", nil, .dead, "status_400", nil),
            (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", .dead, "misconfigured_for_device_type", nil),
            (401, "UNAUTHENTICATED", nil, .misconfigured, "unauthenticated", .mintToken),
            (401, "UNAUTHENTICATED", "UNAUTHENTICATED", .misconfigured, "unauthenticated", .mintToken),
            (404, "NOT_FOUND", nil, .misconfigured, "not_found", nil),
            (500, "INTERNAL", "INTERNAL", later, "internal", nil), (500, "INTERNAL", nil, later, "internal", nil),
            (503, "UNAVAILABLE", "UNAVAILABLE", later, "unavailable", nil), (502, "BAD", nil, later, "status_502", nil),
        ] as [(Int, String, String?, DeliveryOutcome.Verdict, String, NextStep?)])
    func means(status: Int, name: String, code: String?, verdict: DeliveryOutcome.Verdict, word: String, step: NextStep?) {
        let fault: DeliveryOutcome.SettingsFault? = code == "THIRD_PARTY_AUTH_ERROR" ? .ofDeviceType : nil
        #expect(
            answer(status, name: name, code: code)
                == ProviderAnswer(DeliveryOutcome(verdict, reason: word, settingsFault: fault), step: step))
    }

    @Test func `a success is a delivery`() {
        let answer = FCMAnswer.of(status: 200, body: Array("{\"name\":\"projects/p/messages/1\"}".utf8), retryAfter: nil)
        #expect(answer == ProviderAnswer(.delivered, "status_200"))
    }

    @Test func `a token is removed only if its field is invalid`() {
        let blamed = answer(400, name: "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", field: "message.token")
        #expect(blamed == ProviderAnswer(Self.gone, "invalid_token"))
        #expect(answer(400, name: "INVALID_ARGUMENT", code: nil, field: "message.token") == blamed)
        for field in ["message.data", "message", "message.tokens", "", "message.data[message.token]"] {
            #expect(answer(400, name: "INVALID_ARGUMENT", code: "INVALID_ARGUMENT", field: field).outcome.verdict == .dead)
        }
        #expect(answer(400, name: "FAILED_PRECONDITION", code: nil, field: "message.token").outcome.verdict == .dead)
        #expect(answer(404, name: "NOT_FOUND", code: nil, field: "message.token").outcome.verdict == .misconfigured)
    }

    private static let sentence = "The registration token is not a valid FCM registration token"
    private static let fcmError = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}"#

    private static func violation(_ field: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
    }

    private static func refusal(_ message: String, _ details: String..., status: String = "INVALID_ARGUMENT") -> [UInt8] {
        let error = #"{"code":400,"message":"\#(message)","status":"\#(status)","details":[\#(details.joined(separator: ","))]}"#
        return Array(#"{"error":\#(error)}"#.utf8)
    }

    /// The form in Firebase's documentation, and similar ones.
    private static let forms: [(String, [UInt8], DeliveryOutcome.Verdict, String)] = [
        ("documented", refusal(sentence, fcmError), gone, "invalid_token"),
        (
            "reported since 2018", refusal("Request contains an invalid argument.", fcmError, violation("message.token")), gone,
            "invalid_token"
        ),
        ("both", refusal(sentence, violation("message.token"), fcmError), gone, "invalid_token"),
        ("another detail beside it", refusal(sentence, #"{"@type":"other"}"#, fcmError), gone, "invalid_token"),
        ("another field", refusal(sentence, fcmError, violation("message.data")), .dead, "invalid_argument"),
        ("another sentence", refusal("Android message is too big", fcmError), .dead, "invalid_argument"),
        ("a longer sentence", refusal(sentence + " of yours", fcmError), .dead, "invalid_argument"),
        ("the sentence within another", refusal("Not: " + sentence, fcmError), .dead, "invalid_argument"),
        ("the sentence in other letters", refusal(sentence.uppercased(), fcmError), .dead, "invalid_argument"),
        ("no sentence", refusal("", fcmError), .dead, "invalid_argument"),
        ("no error of FCM", refusal(sentence), .dead, "invalid_argument"),
        (
            "another error of FCM", refusal(sentence, fcmError.replacing("INVALID_ARGUMENT", with: "INTERNAL")), .dead, "internal"
        ),
    ]

    @Test(arguments: forms)
    func `an invalid token has two forms`(form: String, body: [UInt8], verdict: DeliveryOutcome.Verdict, word: String) {
        #expect(FCMAnswer.of(status: 400, body: body, retryAfter: nil) == ProviderAnswer(verdict, word), "\(form)")
    }

    @Test(arguments: [401, 403, 404, 429, 500, 503])
    func `the message is evaluated only with status 400`(status: Int) {
        let answer = FCMAnswer.of(status: status, body: Self.refusal(Self.sentence, Self.fcmError), retryAfter: nil)
        #expect(answer.outcome.verdict != Self.gone)
    }

    /// A test push has a token that no device has; FCM checks it only for an accepted sender.
    private static let proofs: [(String, Int, [UInt8], DeliveryOutcome.Verdict)] = [
        ("the documented form", 400, refusal(sentence, fcmError), .delivered),
        ("another wrong argument", 400, refusal("Android message is too big", fcmError), .delivered),
        ("an error that is new", 400, refusal("m", fcmError.replacing("INVALID_ARGUMENT", with: "NEW")), .delivered),
        ("the field alone", 400, refusal("m", violation("message.token")), gone),
        ("no error of FCM", 400, refusal("API key not valid"), .dead), ("no JSON", 400, Array("<html>".utf8), .dead),
        ("not the token but the sender", 401, refusal("m", status: "UNAUTHENTICATED"), .misconfigured),
        ("no permission", 403, refusal("m", status: "PERMISSION_DENIED"), .misconfigured),
        ("no such project", 404, refusal("m", status: "NOT_FOUND"), .misconfigured),
        ("down", 503, refusal(sentence, fcmError), later),
    ]

    @Test(arguments: proofs)
    func `FCM's error about a test push proves the credential`(
        form: String, status: Int, body: [UInt8], verdict: DeliveryOutcome.Verdict
    ) {
        let provider = FCMProvider(url: "https://fcm.test", projectID: "project")
        #expect(provider.answer(status: status, body: body, token: nil, retryAfter: nil).outcome.verdict == verdict, "\(form)")
    }

    @Test func `FCM's error about a delivery proves nothing`() {
        let provider = FCMProvider(url: "https://fcm.test", projectID: "project")
        let answer = provider.answer(
            status: 400, body: Self.refusal("Android message is too big", Self.fcmError), token: "t", retryAfter: nil)
        #expect(answer == ProviderAnswer(.dead, "invalid_argument"))
    }

    @Test(arguments: [(nil, 60_000), (90_000, 90_000)] as [(UInt64?, UInt64)])
    func `an exceeded quota slows down`(retryAfter: UInt64?, wait: UInt64) {
        let expected = DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "quota_exceeded", requestsBackoff: true)
        let answer = answer(429, name: "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", retryAfter: retryAfter)
        #expect(answer == ProviderAnswer(expected))
    }

    @Test func `Retry-After is honoured`() {
        for status in [500, 503] {
            #expect(
                answer(status, name: "UNAVAILABLE", code: nil, retryAfter: 30_000).outcome.verdict == .retry(retryAfterMilliseconds: 30_000)
            )
        }
    }

    @Test(arguments: [
        "", "<!DOCTYPE html><title>404</title>", "[]", "{\"error\":\"gone\"}", "{\"error\":{\"status\":7,\"details\":{}}}",
        "{\"error\":{\"status\":\"WHAT\",\"details\":[1,{\"@type\":\"other\",\"errorCode\":\"UNREGISTERED\"}]}}",
    ])
    func `a malformed body is ignored`(body: String) {
        for status in [400, 401, 403, 404, 429, 500, 503] {
            let answer = FCMAnswer.of(status: status, body: Array(body.utf8), retryAfter: nil)
            #expect(answer == FCMAnswer.of(status: status, code: nil))
            #expect(answer.outcome.reason == "status_\(status)")
            #expect(answer.outcome.verdict != Self.gone)
        }
        #expect(FCMAnswer.of(status: 401, code: nil).step == .mintToken)
    }

    /// RuStore's token is created manually, so Deskgate mints none.
    @Test func `RuStore's responses have the same form`() {
        for (status, name, code) in [
            (404, "NOT_FOUND", "UNREGISTERED"), (404, "X", nil), (403, "X", "SENDER_ID_MISMATCH"), (429, "X", nil), (503, "X", nil),
        ] {
            let body = body(status: name, code: code, field: "message.data")
            #expect(RuStoreAnswer.of(status: status, body: body, retryAfter: 1) == FCMAnswer.of(status: status, body: body, retryAfter: 1))
        }
        let body = body(status: "UNAUTHENTICATED", code: nil, field: "message.data")
        #expect(
            RuStoreAnswer.of(status: 401, body: body, retryAfter: nil) == ProviderAnswer(.misconfigured, "unauthenticated"))
    }

    /// An error that FCM uses for the project is about the device in RuStore.
    @Test(arguments: [#"{"error":{"code":404,"status":"NOT_FOUND"}}"#, #"{"code":404,"message":"m","status":"NOT_FOUND"}"#])
    func `RuStore reports an unknown device`(body: String) {
        let answer = RuStoreAnswer.of(status: 404, body: Array(body.utf8), retryAfter: nil)
        #expect(answer == ProviderAnswer(Self.gone, "not_found", step: .askAlarm))
    }
}
