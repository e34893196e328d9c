import Core
import Testing

/// Tokens that come with webhooks.
@Suite struct LearnContractTests {
    private func webhook(_ number: Int, _ token: String?, device: String = "d1", type: String? = "ios") throws -> Arrival {
        var sample = Sample(number)
        sample.device = device
        sample.deviceType = type
        sample.requiresDevice = true
        sample.received = 1000 + UInt64(number)
        sample.token = try token.map { try PushToken($0) }
        return sample.arrival()
    }

    @Test(arguments: Backend.allCases) func isUsedAndAnnouncedOnce(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { #expect(try fixture.store.take(webhook(number, "A")) == .accepted) }
        #expect(try fixture.store.take(webhook(1, "A")) == .duplicate(of: Sample(1).event.id))
        let device = try #require(try fixture.store.device())
        #expect(device.type == "ios" && device.registeredAt == 1001 && device.seenAt == 1001)
        #expect(try fixture.store.comments().map(\.device) == Array(repeating: device, count: 3))
        #expect(try fixture.store.announced() == ["registered user d1 A"])
    }

    @Test(arguments: Backend.allCases) func aDuplicateTeachesNothing(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, nil))
        #expect(try fixture.store.take(webhook(1, "A")) == .duplicate(of: Sample(1).event.id))
        #expect(try fixture.store.registered() == [])
    }

    @Test(arguments: Backend.allCases) func isNotLearnedWithoutADevice(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A", device: ""))
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.comments().map(\.state) == [.noTarget])
    }

    @Test(arguments: Backend.allCases) func isNotLearnedAgainAfterASignOut(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.put(nil) == .removed)
        _ = try fixture.store.take(webhook(2, "A"))
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.comments().last?.state == .noTarget)
        _ = try fixture.store.take(webhook(3, "B"))
        #expect(try fixture.store.registered() == ["user d1 B"], "another token is another sign-in")
        #expect(try fixture.store.announced() == ["registered user d1 A", "unsubscribed user d1 A", "registered user d1 B"])
    }

    @Test(arguments: Backend.allCases) func isNotLearnedByADeviceThatSignedOutUnseen(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put(nil)
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.registered() == [])
        try fixture.store.put("A")
        try fixture.store.put(nil)
        _ = try fixture.store.take(webhook(2, "B"))
        #expect(try fixture.store.registered() == ["user d1 B"])
    }

    @Test(arguments: Backend.allCases) func movesLikeAnyOther(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", user: "earlier", device: "d9")
        _ = try fixture.store.take(webhook(1, "A"))
        #expect(try fixture.store.registered() == ["user d1 A"])
        var late = Sample(2)
        late.user = "earlier"
        late.device = "d9"
        late.token = try PushToken("A")
        _ = try fixture.store.take(late.arrival())
        #expect(try fixture.store.registered() == ["user d1 A"], "a late webhook does not bring it back")
        #expect(try fixture.store.announced() == ["registered earlier d9 A", "moved earlier d9 A", "registered user d1 A"])
    }

    @Test(arguments: Backend.allCases) func keepsTheTypeThatIsKnown(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", type: "rustore")
        _ = try fixture.store.take(webhook(1, "B", type: nil))
        #expect(try fixture.store.device()?.type == "rustore")
        try fixture.store.put(nil)
        _ = try fixture.store.take(webhook(2, "C", type: nil))
        #expect(try fixture.store.device()?.type == "rustore")
        _ = try fixture.store.take(webhook(3, "D", device: "d2", type: nil))
        #expect(try fixture.store.device("d2")?.type == "")
    }

    @Test(arguments: Backend.allCases) func makesRoomLikeAnyOther(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 2)
        for number in 1...3 { _ = try fixture.store.take(webhook(number, "T\(number)", device: "d\(number)")) }
        #expect(try fixture.store.registered() == ["user d2 T2", "user d3 T3"])
        #expect(try fixture.store.announced().contains("too_many_devices user d1 T1"))
    }

    /// What was learned is true, whether there is room for the comment or not.
    @Test(arguments: Backend.allCases) func isLearnedWhereTheCommentFindsNoRoom(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        try fixture.store.take(Sample(9))
        #expect(throws: StoreError.self) { try fixture.store.take(webhook(1, "A")) }
        #expect(try fixture.store.registered() == ["user d1 A"])
        for delivery in try fixture.store.claim(at: 5000) + fixture.store.claim("registry", at: 5000) {
            try fixture.store.report(delivery, .delivered, at: 5000)
        }
        #expect(try fixture.store.take(webhook(1, "A")) == .accepted)
        #expect(try fixture.store.announced() == ["registered user d1 A"])
        #expect(try fixture.store.comments().last?.device?.token.text == "A")
    }
}
