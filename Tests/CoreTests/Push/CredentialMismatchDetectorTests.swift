import Core
import Testing
import Time

@Suite final class CredentialMismatchDetectorTests {
    private var alarm = CredentialMismatchDetector()

    private func device(_ number: Int, user: String) -> Device {
        Device(
            key: Device.Key(appID: "app", userID: user, deviceID: "device-\(number)"), type: "ios",
            token: PushToken("token-\(number)", digest: [UInt8(number >> 8), UInt8(number & 255)]), registeredAt: 0, seenAt: 0)
    }

    private func refused(_ number: Int, user: String? = nil, wasTaken: Bool) -> CredentialMismatchDetector.Finding {
        alarm.refused(device(number, user: user ?? "user-\(number)"), wasTaken: wasTaken)
    }

    @Test func `rejections for many people with accepted devices report a mismatch`() {
        #expect((1...9).map { refused($0, wasTaken: true) } == Array(repeating: .unclear, count: 9))
        #expect(refused(10, wasTaken: true) == .settings)
        #expect(alarm.isRaised)
        #expect(refused(1, wasTaken: false) == .settings)
    }

    @Test func `rejections of tokens that were never accepted are ignored`() {
        #expect((1...500).allSatisfy { refused($0, wasTaken: false) == .unclear })
        #expect(!alarm.isRaised)
    }

    @Test func `rejections of many devices of few people are ignored`() {
        #expect((1...90).allSatisfy { refused($0, user: "user-\($0 % 9)", wasTaken: true) == .unclear })
        #expect(!alarm.isRaised)
    }

    @Test func `a delivery resets the count`() {
        for number in 1...9 { _ = refused(number, wasTaken: true) }
        alarm.delivered()
        for number in 11...19 { #expect(refused(number, wasTaken: true) == .unclear) }
        #expect(refused(20, wasTaken: true) == .settings)
    }

    @Test func `a delivery attributes earlier rejections to their tokens`() {
        for number in 1...9 { #expect(refused(number, wasTaken: number.isMultiple(of: 2)) == .unclear) }
        alarm.delivered()
        for number in 1...9 { #expect(refused(number, wasTaken: number.isMultiple(of: 2)) == .token) }
        #expect(refused(2, wasTaken: true) == .unclear, "each needs a delivery of its own")
    }

    @Test func `after a delivery a token that was never accepted is at fault at once`() {
        alarm.delivered()
        #expect(refused(1, wasTaken: false) == .token)
        #expect(refused(2, wasTaken: true) == .unclear)
        #expect(refused(3, wasTaken: false) == .unclear, "the settings are in doubt")
        alarm.delivered()
        #expect(refused(4, wasTaken: false) == .token)
    }

    @Test func `only a delivery ends the report`() {
        for number in 1...10 { _ = refused(number, wasTaken: true) }
        #expect(refused(11, wasTaken: false) == .settings)
        alarm.delivered()
        #expect(!alarm.isRaised)
        #expect(refused(11, wasTaken: true) == .unclear, "what was refused while it was raised is not held against the token")
    }

    @Test func `its memory is limited`() {
        for number in 0..<CredentialMismatchDetector.limit { _ = refused(number, wasTaken: false) }
        #expect(refused(CredentialMismatchDetector.limit + 1, wasTaken: false) == .unclear)
        alarm.delivered()
        #expect(refused(0, wasTaken: true) == .token)
        #expect(refused(CredentialMismatchDetector.limit + 1, wasTaken: true) == .unclear, "it was one too many")
    }
}
