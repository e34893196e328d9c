import Core
import Storage
import TestSupport
import Testing
import Time

@testable import Sendbird

/// Held messages as deliveries: their lifetime, the limit of the queue, and several apps.
@Suite struct HeldMessageQueueTests {
    /// Desk was unavailable for the event's lifetime. An operator retries the delivery, and the resulting deliveries have a new lifetime.
    @Test func `an expired held message is delivered when it is retried`() throws {
        let fixture = try SendbirdFixture(desk: .requests([[SendbirdFixture.away], [SendbirdFixture.named]]))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        let held = try #require(try fixture.store.deliveries(DeliveryFilter(), limit: 10).first { $0.event.kind == .messageHeld }).event
        let life = held.receivedAt.remaining(until: held.expiresAt)
        fixture.pass(milliseconds: life)
        #expect(try fixture.lookUpOwners() == [])
        #expect(try fixture.events() == ["message.held  owner:lookup dead"])
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: fixture.now, expiresAt: fixture.now + life).retried == 1)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        let claim = Claim(notifier: "apns", now: fixture.now, leaseMilliseconds: 20_000, limit: 100)
        let claimed = try fixture.store.work([], [claim], telling: .nobody)[0].get().deliveries
        #expect(claimed.map(\.event.kind) == [.commentCreated])
        #expect(claimed.first?.event.expiresAt == fixture.now + life)
    }

    @Test func `a full queue rejects a held message like any other`() throws {
        let fixture = try SendbirdFixture(maxPending: 1, desk: .everyRequest(SendbirdFixture.away))
        #expect(shown(try fixture.chat(SendbirdBody.message("1"))) == SendbirdFixture.accepted)
        #expect(try fixture.chat(SendbirdBody.message("2")).status == 503)
    }

    /// Each app has its own Desk, and the apps take turns.
    @Test func `an app whose Desk hangs delays no other app`() throws {
        let store = MemoryStore()
        defer { store.close() }
        let away = try SendbirdFixture(shared: store, desk: .everyRequest(SendbirdFixture.away))
        for number in 1...3 {
            let body = SendbirdBody.message("\(number)", channel: "sendbird_desk_\(number)")
            #expect(shown(try away.chat(body)) == SendbirdFixture.accepted)
        }
        let other = SendbirdBody.message("4").replacing(#""app_id":"APP""#, with: #""app_id":"OTHER""#)
        #expect(shown(try away.chat(other, app: "OTHER", token: 54)) == SendbirdFixture.accepted)
        let fixture = try SendbirdFixture(shared: store, deskTimeout: 500, desk: .requests([[.hang], [SendbirdFixture.named]]))
        // Three messages of the first app are due and have waited longer.
        #expect(try fixture.lookUpOwners(limit: 2) == ["retry timeout", "delivered owner_found"])
        var filter = DeliveryFilter()
        (filter.appID, filter.kind) = ("OTHER", .commentCreated)
        #expect(try store.deliveries(filter, limit: 10).map(\.notifier) == ["log"])
    }
}
