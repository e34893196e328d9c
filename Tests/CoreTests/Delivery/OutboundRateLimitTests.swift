import Core
import Testing
import Time

@Suite struct OutboundRateLimitTests {
    private let rule = OutboundRateLimit(per: .device, max: 2, windowMilliseconds: 300)

    private func calls(_ times: UnixMilliseconds...) -> CallTimes { times.reduce(CallTimes()) { $0.adding($1, keeping: 5) } }

    @Test func `a call is allowed exactly one window after the first of the last`() {
        #expect(rule.allowedAt(after: calls(), now: 1000) == 1000)
        #expect(rule.allowedAt(after: calls(900), now: 1000) == 1000)
        #expect(rule.allowedAt(after: calls(800, 900), now: 1000) == 1100)
        #expect(rule.allowedAt(after: calls(800, 900), now: 1100) == 1100)
        #expect(rule.allowedAt(after: calls(800, 900, 950), now: 1000) == 1200)
    }

    @Test func `a call can be removed and restored`() {
        #expect(calls(1, 2).withoutLast == calls(1))
        #expect(calls().withoutLast == calls())
        #expect(calls(100, 200, 300).noLater(than: 150) == calls(100, 150, 150))
        #expect(calls().noLater(than: 150) == calls())
    }

    /// A comment is no change of the registry, so a notifier with rate limits makes no call for it.
    @Test func `only changes of the registry cause calls`() {
        let event = Event(
            id: UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0)), kind: .commentCreated,
            identity: Event.Identity(appID: "app", ticketID: 1, commentID: 1, deviceID: "d"), userID: "u", occurredAt: 1, receivedAt: 1,
            expiresAt: 9, data: Array(#"{"device_id":"d","type":"ios","token":"t"}"#.utf8))
        #expect(RateLimitedCall(Delivery(id: event.id, notifier: "relay", event: event, dueAt: 1), [rule]) == nil)
    }
}
