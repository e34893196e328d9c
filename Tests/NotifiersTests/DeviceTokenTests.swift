import Core
import Testing
import Time

@testable import Notifiers

@Suite struct DeviceTokenTests {
    @Test func `APNs accepts hexadecimal tokens`() {
        #expect(APNsToken.isValid(Sample.appToken))
        for length in [2, 64, 160, 256] { #expect(APNsToken.isValid(String(repeating: "a", count: length))) }
    }

    @Test func `APNs accepts no other tokens`() {
        let tokens = ["", "a", "abc", "0g", "ab cd", "<abcd>", "ab/../cd", "аб", "0x12", "ab\n", String(repeating: "a", count: 258)]
        for token in tokens { #expect(!APNsToken.isValid(token)) }
    }

    @Test func `other providers accept visible characters`() {
        for token in [Sample.opaqueToken, "a", "!~", String(repeating: "a", count: 1024)] { #expect(OpaqueToken.isValid(token)) }
        for token in ["", "a b", "a\n", "a\u{0}", "ключ", "a\"", "a\\", "\u{7F}", String(repeating: "a", count: 1025)] {
            #expect(!OpaqueToken.isValid(token))
        }
    }

    @Test func `an invalid token gets no message`() throws {
        let notification = try Sample.notification("a")
        #expect(throws: PushPayloadError.invalidToken) { try FCMMessage.body(notification, token: "a b", now: 0) }
        #expect(throws: PushPayloadError.invalidToken) { try HMSMessage.body(notification, token: "", now: 0) }
        #expect(
            PushPayloadError.invalidToken.outcome
                == DeliveryOutcome(.deviceGone(since: nil), reason: "invalid_token", calledReceiver: false))
    }
}
