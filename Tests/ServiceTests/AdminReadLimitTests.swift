import Core
import HTTPServer
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI

/// Queries of operators that exceed the time limit.
@Suite struct AdminReadLimitTests {
    private static let count = 3000

    /// More events than a read processes before it checks for cancellation.
    private func fill(_ store: any Store) {
        let answers = Monitor<[Result<Acceptance, StoreError>]>([])
        for number in 0..<Self.count {
            let event = Event(
                id: UUIDv7(milliseconds: UnixMilliseconds(rawValue: UInt64(5000 + number)), random: InlineArray(repeating: 7)).event,
                kind: .commentCreated,
                identity: Event.Identity(appID: "shop", ticketID: 1, commentID: HelpDeskID(Int64(100_000 + number)), deviceID: ""),
                userID: "user", deviceType: nil, occurredAt: AdminDeliverFixture.time, receivedAt: AdminDeliverFixture.time,
                expiresAt: AdminDeliverFixture.time + 60_000, data: [])
            store.accept(
                IncomingEvent(event, to: [Subscription(notifier: "push", deviceTypes: .all, requiresDevice: false, keepsOrder: false)]),
                telling: .nobody
            ) { answer in answers.update { $0.append(answer) } }
        }
        let all = answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count == Self.count ? $0 : nil }
        #expect(all?.allSatisfy { $0 == .success(.accepted) } == true)
    }

    @Test func `the response suggests narrower filters`() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.readMilliseconds = 0
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        let fixture = try AdminDeliverFixture(store: store)
        fill(store)
        let answer = fixture.send(.get, "/v1/deliveries?user_id=nobody")
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        #expect(answer.text.contains(#""error":"too_long""#))
        #expect(answer.text.contains("app_id and comment_id"))
        #expect(fixture.send(.get, "/v1/deliveries/\(AdminDeliverFixture.id(2))").status == 200, "an index finds it")
    }
}
