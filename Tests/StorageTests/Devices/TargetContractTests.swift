import Core
import TestSupport
import Testing
import Time

@Suite struct TargetContractTests {
    private func comment(_ number: Int, device: String = "d1", _ change: (inout Sample) -> Void = { _ in }) -> Sample {
        var sample = Sample(number)
        sample.device = device
        sample.requiresDevice = true
        change(&sample)
        return sample
    }

    /// The deliveries of comments, each with its device, token and state.
    private func rows(_ store: any Store) throws -> [String] {
        try store.comments().map { "\($0.deviceID ?? "-") \($0.device?.token.text ?? "-") \($0.state.rawValue)" }
    }

    private func fill(_ store: any Store, _ devices: ClosedRange<Int> = 1...3) throws {
        for number in devices { try store.put("T\(number)", device: "d\(number)") }
        try store.put("X", user: "other", device: "d1")
    }

    @Test(arguments: Backend.allCases) func `is sent to the named device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        try fixture.store.take(comment(1, device: "d2"))
        #expect(try rows(fixture.store) == ["d2 T2 pending"])
        #expect(try fixture.store.claim(at: 2000).map { $0.device?.token.text } == ["T2"])
    }

    @Test(arguments: Backend.allCases, ["", "unknown"])
    func `is sent to all devices when the named one is unknown`(_ backend: Backend, _ device: String) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        try fixture.store.put(nil, device: "d2")
        let sample = comment(1, device: device)
        try fixture.store.take(sample)
        #expect(try rows(fixture.store) == ["d1 T1 pending", "d3 T3 pending"])
        let claimed = try fixture.store.claim(at: 2000)
        #expect(claimed.map(\.id) == [sample.event.id.delivery(0), sample.event.id.delivery(1)])
    }

    @Test(arguments: Backend.allCases) func `is sent to a device once for any number of webhooks`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        for (number, device) in ["unknown", "d1", "d2", "", "d3", "elsewhere"].enumerated() {
            let sample = comment(number, device: device) { $0.comment = 7 }
            #expect(try fixture.store.take(sample.incoming(to: ["log", "http"])) == .accepted)
        }
        #expect(
            try fixture.store.comments().map { "\($0.notifier) \($0.deviceID ?? "-")" }.sorted() == [
                "http d1", "http d2", "http d3", "log d1", "log d2", "log d3",
            ])
        try fixture.store.take(comment(10, device: "d1") { $0.comment = 8 })
        try fixture.store.take(
            comment(11, device: "d1") {
                $0.comment = 7
                $0.ticket = 2
            })
        #expect(try fixture.store.comments().count == 8, "another comment, and another ticket's, are others")
    }

    @Test(arguments: Backend.allCases) func `is sent to each named device once, also if the unknown one comes last`(_ backend: Backend)
        throws
    {
        let fixture = try backend.store()
        try fill(fixture.store)
        for (number, device) in ["d2", "unknown"].enumerated() {
            try fixture.store.take(comment(number, device: device) { $0.comment = 7 })
        }
        #expect(try rows(fixture.store) == ["d2 T2 pending", "d1 T1 pending", "d3 T3 pending"])
    }

    @Test(arguments: Backend.allCases) func `ends without a target`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 0)
        try fixture.store.put(nil)
        let named = comment(1)
        let unknown = comment(2, device: "unknown")
        for sample in [named, unknown] { try fixture.store.take(sample) }
        #expect(try rows(fixture.store) == ["- - no_target", "- - no_target"])
        let ended = try #require(try fixture.store.comments().first)
        #expect(ended.endedAt == 1000)
        #expect(ended.reason == "no_target")
        #expect(ended.attempts == 0)
        #expect(try fixture.store.pending() == [], "it takes no room in the queue")
        #expect(try fixture.store.nextDue(notifier: "log") == nil)
        var filter = DeliveryFilter()
        filter.state = .noTarget
        #expect(try fixture.store.deliveries(filter, limit: 9).count == 2)
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 5000, expiresAt: 9000).retried == 0, "it is not dead")
        #expect(
            try fixture.store.purge(
                now: UnixMilliseconds(Deduplication.milliseconds + 1001), deliveredBefore: 1001, deadBefore: 0, limit: 9)
                == 4)
        #expect(try fixture.store.take(named.incoming()) == .accepted, "it was forgotten like what was delivered")
    }

    /// A signed-out device gets nothing, even if the person has other devices.
    @Test(arguments: Backend.allCases) func `is not sent to other devices if the named one signed out`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        try fixture.store.put(nil, device: "d2")
        try fixture.store.take(comment(1, device: "d2"))
        #expect(try rows(fixture.store) == ["- - no_target"])
    }

    @Test(arguments: Backend.allCases) func `is sent to notifiers that need no device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let subscriptions = [Subscription(notifier: "push", requiresDevice: true), Subscription(notifier: "crm")]
        func take(_ number: Int, _ device: String) throws {
            _ = try fixture.store.take(IncomingEvent(comment(number, device: device).event, to: subscriptions))
        }
        try take(1, "unknown")
        try fixture.store.put("T1")
        try take(2, "d1")
        try fixture.store.put(nil)
        try take(3, "d1")
        #expect(
            try fixture.store.comments().map { "\($0.notifier) \($0.deviceID ?? "-") \($0.state.rawValue)" } == [
                "push - no_target", "crm - pending", "push d1 pending", "crm d1 pending", "push - no_target", "crm - pending",
            ])
        #expect(try fixture.store.claim("crm", at: 5000).map(\.device) == [nil, nil, nil], "also where the device has left meanwhile")
        #expect(try fixture.store.claim("push", at: 5000) == [])
    }

    @Test(arguments: Backend.allCases) func `is sent to the device types of its notifier`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, type) in ["ios", "android", "huawei", ""].enumerated() {
            try fixture.store.put("T\(number)", device: "d\(number)", type: type)
        }
        let subscriptions = [
            Subscription(notifier: "apns", deviceTypes: .only(["ios"]), requiresDevice: true),
            Subscription(notifier: "fcm", deviceTypes: .except(["ios", "huawei"]), requiresDevice: true),
        ]
        _ = try fixture.store.take(IncomingEvent(comment(1, device: "unknown").event, to: subscriptions))
        #expect(try fixture.store.comments().map { "\($0.notifier) \($0.deviceID ?? "-")" } == ["apns d0", "fcm d1", "fcm d3"])
        _ = try fixture.store.take(IncomingEvent(comment(2, device: "d2").event, to: subscriptions))
        #expect(try rows(fixture.store).last == "d2 T2 no_target", "nobody is for its type, which can be seen")
        _ = try fixture.store.take(
            IncomingEvent(comment(3, device: "d2").event, to: subscriptions + [Subscription(notifier: "crm", deviceTypes: .only(["tv"]))]))
        #expect(
            try fixture.store.comments().last.map { "\($0.notifier) \($0.deviceID ?? "-") \($0.state)" } == "crm - pending",
            "who needs no device hears of it")
    }

    @Test(arguments: Backend.allCases, [false, true])
    func `ends at the next claim after the device was removed`(_ backend: Backend, _ keepsOrder: Bool) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        for (number, device) in ["d1", "d2", "d1"].enumerated() {
            try fixture.store.take(comment(number, device: device) { $0.keepsOrder = keepsOrder })
        }
        try fixture.store.put(nil)
        #expect(try fixture.store.pending().first { $0.notifier == "log" }?.count == 3)
        #expect(try fixture.store.claim(at: 2000).map(\.deviceID) == ["d2"], "the next one of the ticket goes on")
        #expect(try rows(fixture.store) == ["d1 - no_target", "d2 T2 pending", "d1 - \(keepsOrder ? "pending" : "no_target")"])
        let ended = try #require(try fixture.store.comments().first)
        #expect(ended.endedAt == 2000)
        #expect(ended.reason == "no_target")
        #expect(ended.attempts == 0)
        #expect(try fixture.store.pending().first { $0.notifier == "log" }?.count == (keepsOrder ? 2 : 1))
    }

    @Test(arguments: Backend.allCases) func `ends for a missing target before it expires`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        try fixture.store.take(comment(1) { $0.expires = 1500 })
        try fixture.store.put(nil)
        #expect(try fixture.store.claim(at: 2000) == [])
        #expect(try rows(fixture.store) == ["d1 - no_target"])
    }

    @Test(arguments: Backend.allCases) func `a running attempt keeps its outcome`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        for number in 1...2 { try fixture.store.take(comment(number) { $0.ticket = HelpDeskID(Int64(number)) }) }
        let claimed = try fixture.store.claim(at: 2000)
        try fixture.store.put(nil)
        try fixture.store.report(claimed[0], next: .delivered, at: 2100)
        try fixture.store.report(claimed[1], next: .retry(at: 2200), at: 2100)
        #expect(try fixture.store.claim(at: 2200) == [])
        #expect(try rows(fixture.store) == ["d1 - delivered", "d1 - no_target"])
        #expect(try fixture.store.comments().last?.attempts == 1)
    }

    @Test(arguments: Backend.allCases) func `uses the device's current token`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        try fixture.store.take(comment(1))
        try fixture.store.put(nil)
        try fixture.store.put("new", type: "rustore")
        let claimed = try #require(try fixture.store.claim(at: 2000).first)
        #expect(claimed.device?.token.text == "new")
        #expect(claimed.device?.type == "rustore")
    }

    /// Another person has signed in on the phone before the comment was sent.
    @Test(arguments: Backend.allCases) func `does not follow a token to another person`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, 1...1)
        try fixture.store.take(comment(1))
        try fixture.store.put("T1", user: "next", device: "d1")
        #expect(try fixture.store.claim(at: 2000) == [])
        #expect(try rows(fixture.store) == ["d1 - no_target"])
    }

    @Test(arguments: Backend.allCases) func `ends a limited number at once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("T1")
        try fixture.store.takeAll((0..<600).map { comment($0) })
        try fixture.store.put(nil)
        var counts: [Int] = []
        while try fixture.store.nextDue(notifier: "log") != nil {
            #expect(try fixture.store.claim(at: 2000) == [])
            counts.append(try fixture.store.pending().first { $0.notifier == "log" }?.count ?? 0)
        }
        #expect(counts == [344, 88, 0])
    }
}
