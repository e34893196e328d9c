import Core
import TestSupport
import Testing
import Time

@Suite struct OperatorTestTests {
    private static let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))

    private func event(_ notifier: String) -> Event {
        Event(OperatorTest(appID: "app", notifier: notifier), id: Self.id, now: 5, lifetimeMilliseconds: 10)
    }

    @Test func `the event has no user`() {
        let expected = Event(
            id: Self.id, kind: .operatorTest, identity: Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: ""),
            userID: "", occurredAt: 5, receivedAt: 5, expiresAt: 15, data: Array(#"{"notifier":"a \"crm\""}"#.utf8))
        #expect(event("a \"crm\"") == expected)
    }

    @Test(arguments: 0..<20) func `an event survives a round trip`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let name = (0..<Int.random(in: 0..<20, using: &random)).map { _ in random.element(of: ["a", "\"", "\n", "é", "e\u{301}", "}"]) }
        let read = try #require(OperatorTest(event(name.joined())))
        #expect(read.appID == "app")
        #expect(Array(read.notifier.utf8) == Array(name.joined().utf8))
    }

    @Test func `rejects other events`() {
        let comment = Event(Comment.sample(text: "a"), id: Self.id, receivedAt: 1, lifetimeMilliseconds: 1)
        #expect(OperatorTest(comment) == nil)
        let gone = Event(
            id: Self.id, kind: .operatorTest, identity: comment.identity, userID: "", occurredAt: 1, receivedAt: 1, expiresAt: 1,
            data: Event.emptyData)
        #expect(OperatorTest(gone) == nil)
    }
}
