import Core
import TestSupport
import Testing
import Time

/// Tokens in webhooks.
@Suite struct LearnContractTests {
    private func webhook(
        _ number: Int, _ token: String?, user: String = "user", device: String = "d1", type: String? = "ios"
    ) throws -> IncomingEvent {
        var sample = Sample(number)
        sample.user = user
        sample.device = device
        sample.deviceType = type
        sample.requiresDevice = true
        sample.received = 1000 + UInt64(number)
        sample.token = try token.map { try PushToken($0) }
        return sample.incoming()
    }

    @Test(arguments: Backend.allCases) func `is stored and announced once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { #expect(try fixture.store.take(webhook(number, "A")) == .accepted) }
        #expect(try fixture.store.take(webhook(1, "A")) == .duplicate(of: Sample(1).event.id))
        let device = try #require(try fixture.store.device())
        #expect(device.type == "ios")
        #expect(device.registeredAt == 1001)
        #expect(device.seenAt == 1001)
        #expect(try fixture.store.comments().map { $0.device?.token } == Array(repeating: device.token, count: 3))
        #expect(try fixture.store.announced() == ["registered user d1 A"])
    }

    @Test(arguments: Backend.allCases) func `is not stored from a duplicate`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, nil))
        #expect(try fixture.store.take(webhook(1, "A")) == .duplicate(of: Sample(1).event.id))
        #expect(try fixture.store.registered() == [])
    }

    @Test(arguments: Backend.allCases) func `is not stored without a device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A", device: ""))
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.comments().map(\.state) == [.noTarget])
    }

    @Test(arguments: Backend.allCases) func `is not stored again after a sign-out`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.put(nil) == .removed)
        _ = try fixture.store.take(webhook(2, "A"))
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.comments().last?.state == .noTarget)
        _ = try fixture.store.take(webhook(3, "B"))
        #expect(try fixture.store.registered() == [], "an older token does not bring it back either")
        #expect(try fixture.store.announced() == ["registered user d1 A", "unsubscribed user d1 A"])
        #expect(try fixture.store.put("B") == .registered)
    }

    /// The next webhook still contains the token that an operator has removed.
    @Test(arguments: Backend.allCases, [(true, "d1"), (true, nil), (false, "d1"), (false, nil)] as [(Bool, String?)])
    func `is not stored again after an operator removed it`(_ backend: Backend, _ removal: (isRegistered: Bool, deviceID: String?)) throws {
        let fixture = try backend.store()
        if removal.isRegistered { try fixture.store.put("A") } else { _ = try fixture.store.take(webhook(1, "A")) }
        let filter = DeviceFilter(appID: "app", userID: "user", deviceID: removal.deviceID)
        #expect(try fixture.store.removeDevices(filter, now: 2000) == 1)
        _ = try fixture.store.take(webhook(2, "A"))
        #expect(try fixture.store.registered() == [])
        _ = try fixture.store.take(webhook(3, "A", device: "d2"))
        #expect(try fixture.store.registered() == [], "it is the same phone under another name")
        _ = try fixture.store.take(webhook(4, "C", device: "d3"))
        #expect(try fixture.store.registered() == ["user d3 C"], "another phone may be new")
        _ = try fixture.store.take(webhook(5, "B"))
        // An app that registers will do so again; for another app, webhooks are the only source.
        #expect(try fixture.store.registered() == (removal.isRegistered ? [] : ["user d1 B"]) + ["user d3 C"], "a new token")
        #expect(try fixture.store.put("A") == .registered, "the app itself says that somebody has signed in")
        #expect(try fixture.store.announced().prefix(2) == ["registered user d1 A", "operator user d1 A"])
    }

    /// Webhooks may contain the token for longer than an unseen device is kept.
    @Test(arguments: Backend.allCases, ["d1", "d2"]) func `stays signed out while webhooks contain its token`(
        _ backend: Backend, _ device: String
    ) throws {
        let fixture = try backend.store()
        let day = 86_400_000 as UInt64
        func webhook(_ number: Int, at received: UnixMilliseconds) throws -> IncomingEvent {
            let token = try PushToken("A")
            return Sample(number).with { ($0.device, $0.token, $0.received) = (number == 1 ? "d1" : device, token, received) }.incoming()
        }
        _ = try fixture.store.take(webhook(1, at: 1000))
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: 2000) == 1)
        _ = try fixture.store.take(webhook(2, at: 2000 + 2 * day))
        #expect(try fixture.store.removeIdleDevices(seenBefore: 2000 + day, now: 2000 + 2 * day, limit: 9) == 0)
        _ = try fixture.store.take(webhook(3, at: 2001 + 2 * day))
        #expect(try fixture.store.registered() == [])
    }

    /// A token that has moved to another user is treated as signed out, also if an app uses a new device id for each sign-in.
    @Test(arguments: Backend.allCases) func `does not move back under another device ID`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A", device: "d1"))
        _ = try fixture.store.take(webhook(2, "A", user: "guest", device: "d2"))
        _ = try fixture.store.take(webhook(3, "A", device: "d3"))
        #expect(try fixture.store.registered() == ["guest d2 A"])
        _ = try fixture.store.take(webhook(4, "B", device: "d3"))
        #expect(try fixture.store.registered() == ["guest d2 A", "user d3 B"])
    }

    /// The token moves to another user of the phone, and not back.
    @Test(arguments: Backend.allCases) func `moves to another user after a sign-out`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: 2000) == 1)
        _ = try fixture.store.take(webhook(2, "A", user: "guest"))
        #expect(try fixture.store.registered() == ["guest d1 A"])
        _ = try fixture.store.take(webhook(3, "A", device: "d2"))
        #expect(try fixture.store.registered() == ["guest d1 A"])
    }

    @Test(arguments: Backend.allCases) func `is not stored for a blocked user`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let block = Revocation.sample(1, .user("user"))
        try fixture.store.revoke(block)
        #expect(try fixture.store.take(webhook(1, "A")) == .accepted, "others are told of the comment")
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.take(webhook(2, "B", user: "other")) == .accepted)
        #expect(try fixture.store.registered() == ["other d1 B"])
        _ = try fixture.store.removeRevocation(block.id)
        _ = try fixture.store.take(webhook(3, "A"))
        #expect(try fixture.store.registered() == ["other d1 B", "user d1 A"])
    }

    /// Only keys issued until the sign-out are revoked; the person may sign in again.
    @Test(arguments: Backend.allCases) func `is stored after a sign-out of another phone`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.revoke(.sample(1, .user("user"), issuedBefore: 1))
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.registered() == ["user d1 A"])
    }

    @Test(arguments: Backend.allCases) func `is not stored for a device that signed out unseen`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put(nil)
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.registered() == [])
        try fixture.store.put("A")
        try fixture.store.put(nil)
        _ = try fixture.store.take(webhook(2, "B"))
        #expect(try fixture.store.registered() == [])
    }

    @Test(arguments: Backend.allCases) func `does not replace the app's registration`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("B", at: 1)
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.comments().map { $0.device?.token.text } == ["B"], "the comment goes to the newer one")
        #expect(try fixture.store.registered() == ["user d1 B"])
        #expect(try fixture.store.announced() == ["registered user d1 B"])
    }

    @Test(arguments: Backend.allCases) func `replaces only tokens from webhooks`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A"))
        _ = try fixture.store.take(webhook(2, "B"))
        #expect(try fixture.store.registered() == ["user d1 B"])
        #expect(try fixture.store.put("B", at: 5000) == .unchanged)
        _ = try fixture.store.take(webhook(3, "C"))
        #expect(try fixture.store.registered() == ["user d1 B"], "the app has said so by now")
        #expect(try fixture.store.announced() == ["registered user d1 A", "registered user d1 B"])
    }

    /// The app may have stopped registering. Then its provider ends the old token, and only webhooks contain the new one.
    @Test(arguments: Backend.allCases) func `replaces a registered token that its provider ended`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", at: 1)
        _ = try fixture.store.take(webhook(1, nil))
        let delivery = try #require(try fixture.store.claim(at: 2000).first)
        try fixture.store.finish([
            FinishedAttempt(
                id: delivery.id, attempt: 1, next: .dead, reason: "unregistered", now: 3000, device: delivery.device,
                update: .gone(since: nil))
        ])
        _ = try fixture.store.take(webhook(2, "A"))
        #expect(try fixture.store.registered() == [])
        _ = try fixture.store.take(webhook(3, "B"))
        #expect(try fixture.store.registered() == ["user d1 B"])
    }

    /// A provider's acceptance of a token does not change its source.
    @Test(arguments: Backend.allCases, [true, false])
    func `is replaced or kept in any environment`(_ backend: Backend, _ isRegistered: Bool) throws {
        let fixture = try backend.store()
        if isRegistered { try fixture.store.put("A", at: 1) }
        _ = try fixture.store.take(webhook(1, "A"))
        let delivery = try #require(try fixture.store.claim(at: 2000).first)
        try fixture.store.finish([
            FinishedAttempt(
                id: delivery.id, attempt: 1, next: .delivered, reason: "ok", now: 3000, device: delivery.device,
                update: .environment("sandbox"))
        ])
        _ = try fixture.store.take(webhook(2, "B"))
        #expect(try fixture.store.registered() == [isRegistered ? "user d1 A" : "user d1 B"])
    }

    @Test(arguments: Backend.allCases) func `moves like a registered token`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A", user: "earlier"))
        _ = try fixture.store.take(webhook(2, "A"))
        #expect(try fixture.store.registered() == ["user d1 A"])
        _ = try fixture.store.take(webhook(3, "A", user: "earlier"))
        #expect(try fixture.store.registered() == ["user d1 A"], "a late webhook does not bring it back")
        #expect(try fixture.store.announced() == ["registered earlier d1 A", "moved earlier d1 A", "registered user d1 A"])
    }

    @Test(arguments: Backend.allCases) func `does not move from the user who registered it`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", user: "present", device: "d9")
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.registered() == ["present d9 A"])
        #expect(try fixture.store.comments().map(\.state) == [.noTarget], "it would show to somebody else")
        #expect(try fixture.store.announced() == ["registered present d9 A"])
    }

    @Test(arguments: Backend.allCases) func `does not return to users from whom the app moved it`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A")
        try fixture.store.put("A", user: "present")
        _ = try fixture.store.take(webhook(1, "older"))
        #expect(try fixture.store.registered() == ["present d1 A"])
    }

    @Test(arguments: Backend.allCases) func `keeps the known type`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A", type: "rustore"))
        _ = try fixture.store.take(webhook(2, "B", type: nil))
        #expect(try fixture.store.device()?.type == "rustore")
        #expect(try fixture.store.device()?.token.text == "B")
        _ = try fixture.store.take(webhook(3, "D", device: "d2", type: nil))
        #expect(try fixture.store.device("d2")?.type == "")
    }

    @Test(arguments: Backend.allCases) func `makes room like a registered token`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 2)
        for number in 1...3 { _ = try fixture.store.take(webhook(number, "T\(number)", device: "d\(number)")) }
        #expect(try fixture.store.registered() == ["user d2 T2", "user d3 T3"])
        #expect(try fixture.store.announced().contains("too_many_devices user d1 T1"))
    }

    /// The help desk may have more devices than the limit: no device that the app registered is removed for them, signed in or out.
    @Test(arguments: Backend.allCases) func `no device of an app is removed for a token from a webhook`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 2)
        _ = try fixture.store.payload(.of("A", device: "d1", at: 100))
        _ = try fixture.store.take(webhook(2, "B", device: "d2"))
        _ = try fixture.store.take(webhook(3, "C", device: "d3"))
        #expect(try fixture.store.registered() == ["user d1 A", "user d3 C"], "the learned one leaves, though it came later")
        _ = try fixture.store.payload(.of(nil, device: "d1", at: 5000))
        _ = try fixture.store.payload(.of("D", device: "d4", at: 5001))
        #expect(try fixture.store.registered() == ["user d3 C", "user d4 D"])
        _ = try fixture.store.payload(.of("E", device: "d5", at: 5002))
        #expect(try fixture.store.registered() == ["user d4 D", "user d5 E"])
        _ = try fixture.store.take(webhook(4, "F", device: "d6"))
        #expect(try fixture.store.registered() == ["user d4 D", "user d5 E"])
    }

    @Test(arguments: Backend.allCases) func `is not stored with a type that no app could register`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, count) in [(1, 32), (2, 33)] {
            let sample = Sample(number).with {
                ($0.device, $0.deviceType) = ("d\(number)", String(repeating: "x", count: count))
                $0.token = try? PushToken("T\(number)")
            }
            _ = try fixture.store.take(sample.incoming())
        }
        let types = try fixture.store.devices(DeviceFilter(appID: "app"), after: nil, limit: 10).map(\.type)
        #expect(types == [String(repeating: "x", count: 32), ""])
    }

    /// The token is valid even if the queue has no room for the comment.
    @Test(arguments: Backend.allCases) func `is stored when the queue is full for the comment`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        try fixture.store.take(Sample(9))
        #expect(throws: StoreError.self) { try fixture.store.take(webhook(1, "A")) }
        #expect(try fixture.store.registered() == ["user d1 A"])
        for delivery in try fixture.store.claim(at: 5000) + fixture.store.claim("registry", at: 5000) {
            try fixture.store.report(delivery, next: .delivered, at: 5000)
        }
        #expect(try fixture.store.take(webhook(1, "A")) == .accepted)
        #expect(try fixture.store.announced() == ["registered user d1 A"])
        #expect(try fixture.store.comments().last?.device?.token.text == "A")
    }
}
