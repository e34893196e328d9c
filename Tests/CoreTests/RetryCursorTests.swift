import Core
import Testing

@Suite struct RetryCursorTests {
    @Test(arguments: ["7-9-9", "7-9-4-3-0", "0-0-0", "9223372036854775807-1-0-9223372036854775807-1"])
    func `survives a round trip`(_ text: String) {
        #expect(RetryCursor(text)?.description == text)
    }

    @Test(arguments: [
        "", "-", "7", "7-9", "7-9-", "7-9-9-", "7-9-9-3", "7-9-9-3-", "7-9-9-3-0-1", "x-9-9", "-7-9-9", "7--9-9", "7-9--9", "7-9-9--3-0",
        "7-9-9-x-0", " 7-9-9", "9223372036854775808-9-9",
    ])
    func `malformed text is rejected`(_ text: String) {
        #expect(RetryCursor(text) == nil)
    }

    @Test func `continues after the last delivery`() throws {
        let cursor = RetryCursor(endedBy: 7, total: 9)
        var step = RetryStep()
        step.seen = 5
        #expect(cursor.after(step) == nil, "none is left")
        step.next = DeliveryCursor(event: 3, position: 1)
        let next = try #require(cursor.after(step))
        #expect(next.description == "7-9-4-3-1")
        #expect(next.after(step)?.left == 0, "more than were counted may have been seen")
    }

    /// A dead delivery needs room within the same limits as a new one.
    @Test(
        arguments: [
            (total: 3, pending: 3, own: 3, apps: 1, nil), (4, 3, 3, 1, nil), (4, 4, 4, 1, .notifierQueueFull), (9, 4, 1, 2, nil),
            (9, 4, 2, 2, .notifierQueueFull), (9, 8, 0, 9, .notifierQueueFull), (10, 3, 3, 1, .queueFull),
            (10, 4, 4, 1, .notifierQueueFull),
        ] as [(Int, Int, Int, Int, RetryObstacle?)])
    func `checks the queue's limits`(_ total: Int, pending: Int, own: Int, apps: Int, obstacle: RetryObstacle?) {
        let bounds = DeliveryBounds(maxPending: 10, maxPendingPerNotifier: 4)
        let queue = DeliveryBounds.Queue(pending: pending, pendingOfApp: own, apps: apps)
        #expect(bounds.obstacle(total: total) { queue } == obstacle)
    }
}
