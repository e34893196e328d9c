import Core
import Testing
import Time

/// The rules for queues, disks and credentials.
@Suite struct OperatorRuleTests {
    private static let life: UInt64 = 86_400_000

    @Test(
        arguments: [
            (0, 0, .over(.resolved)), (5000, 449, .over(.resolved)), (5000, 450, .unknown), (5000, 900, .unknown), (5000, 901, .holds),
            (11, 901, .holds), (10, 901, .unknown), (10, 43_200, .unknown), (1, 43_201, .holds), (1, 10, .over(.resolved)),
        ] as [(Int, UInt64, ConditionStatus)])
    func `a queue is late`(count: Int, seconds: UInt64, expected: ConditionStatus) {
        let status = QueueRule.status(
            of: "phone", count: count, ageMilliseconds: seconds * 1000, lifetimeMilliseconds: Self.life, OperatorThresholds())
        #expect(status == expected)
    }

    /// Only the help desk delays held messages, so one is enough.
    @Test(arguments: [(0, 901, .over(.resolved)), (1, 900, .unknown), (1, 901, .holds)] as [(Int, UInt64, ConditionStatus)])
    func `a single held message is late`(count: Int, seconds: UInt64, expected: ConditionStatus) {
        let status = QueueRule.status(
            of: HeldMessage.notifier, count: count, ageMilliseconds: seconds * 1000, lifetimeMilliseconds: Self.life, OperatorThresholds())
        #expect(status == expected)
    }

    @Test(arguments: [(0, .unknown), (299_999, .unknown), (300_000, .over(.resolved))] as [(UInt64, ConditionStatus)])
    func `a problem ends after an absence of five times paused_seconds`(unseen: UInt64, expected: ConditionStatus) {
        #expect(ProblemRule.status(unseenMilliseconds: unseen, OperatorThresholds()) == expected)
    }

    @Test(
        arguments: [
            (0, .holds), (999_999_999, .holds), (1_000_000_000, .unknown), (1_249_999_999, .unknown),
            (1_250_000_000, .over(.resolved)),
        ] as [(UInt64, ConditionStatus)])
    func `a disk is low`(free: UInt64, expected: ConditionStatus) {
        #expect(DiskRule.status(freeBytes: free, OperatorThresholds()) == expected)
        var none = OperatorThresholds()
        none.diskFreeMegabytes = 0
        #expect(DiskRule.status(freeBytes: free, none) == .over(.resolved))
    }

    @Test(
        arguments: [
            (999_999_999, false, true), (1_000_000_000, false, false), (1_249_999_999, true, true), (1_250_000_000, true, false),
        ] as [(UInt64, Bool, Bool)])
    func `a disk stays low until a quarter more is free`(free: UInt64, wasLow: Bool, isLow: Bool) {
        #expect(DiskRule.isLow(freeBytes: free, wasLow: wasLow, OperatorThresholds()) == isLow)
    }

    @Test(arguments: [(0, true), (172_799, true), (172_800, false)] as [(UInt64, Bool)])
    func `dead deliveries are reported until the last can have ended a day ago`(_ seconds: UInt64, _ isReported: Bool) {
        let now: UnixMilliseconds = 1_773_100_000_000
        let dead = DeadDeliveries(
            notifier: "phone", appID: "shop", reason: "expired", count: 1, oldestReceivedAt: 0, newestReceivedAt: now - seconds * 1000,
            newestEndedAt: nil)
        #expect(DeadRule.holds(dead, lifetimeMilliseconds: Self.life, now: now) == isReported)
    }

    /// For example, a delivery that was retried and has ended again.
    @Test(arguments: [(0, true), (86_399, true), (86_400, false)] as [(UInt64, Bool)])
    func `dead deliveries are reported for a day after the last has ended`(_ seconds: UInt64, _ isReported: Bool) {
        let now: UnixMilliseconds = 1_773_100_000_000
        let dead = DeadDeliveries(
            notifier: "phone", appID: "shop", reason: "expired", count: 1, oldestReceivedAt: 0, newestReceivedAt: 0,
            newestEndedAt: now - seconds * 1000)
        #expect(DeadRule.holds(dead, lifetimeMilliseconds: Self.life, now: now) == isReported)
    }

    @Test func `an expiring credential is reported`() {
        let now: UnixSeconds = 1_773_100_000
        func status(_ end: UnixSeconds) -> ConditionStatus {
            ExpiringCredential(.listenerCertificate, of: "public", expiresAt: end).status(now: now, OperatorThresholds())
        }
        #expect(status(now + 14 * 86_400) == .over(.resolved))
        #expect(status(now + 14 * 86_400 - 1) == .holds)
        #expect(status(now) == .holds)
        #expect(status(0) == .holds, "one that has ended is still to be replaced")
        #expect(status(.max) == .over(.resolved))
    }

    @Test(arguments: [(14, 30), (45, 45), (0, 30)])
    func `a credential is shown 30 days before its end, or when it is reported`(reported: Int, shown: UInt64) {
        let now: UnixSeconds = 1_773_100_000
        var thresholds = OperatorThresholds()
        thresholds.expiresDays = reported
        func isShown(_ end: UnixSeconds) -> Bool {
            ExpiringCredential(.notifierCertificate, of: "apns", expiresAt: end).isShown(now: now, thresholds)
        }
        #expect(!isShown(now + shown * 86_400))
        #expect(isShown(now + shown * 86_400 - 1))
        #expect(isShown(0))
    }

    @Test func `another expiry is another condition`() {
        let (one, other) = (1_773_100_000 as UnixSeconds, 1_773_100_001 as UnixSeconds)
        let credential = ExpiringCredential(.notifierCertificate, of: "apns", expiresAt: one)
        #expect(credential.condition != ExpiringCredential(.notifierCertificate, of: "apns", expiresAt: other).condition)
        #expect(credential.condition != ExpiringCredential(.listenerCertificate, of: "apns", expiresAt: one).condition)
        let text = String(decoding: credential.data, as: UTF8.self)
        #expect(text.hasPrefix(#"{"credential":"notifier_certificate","name":"apns","expires_at":"2026-03-09T23:46:40.000Z","remedy":""#))
        _ = ExpiringCredential(.appKey, of: "shop", expiresAt: .max).data
    }

    @Test(arguments: OperatorCondition.Kind.allCases) func `each condition has its events`(_ kind: OperatorCondition.Kind) {
        #expect(kind.begun.isForOperators)
        #expect(kind.ended.isForOperators)
        #expect(kind.begun.rawValue == "operator.\(kind.rawValue)")
        #expect((kind.begun == kind.ended) == (kind != .notifierPaused))
    }

    @Test func `the events of a pair have no member state`() {
        let condition = OperatorCondition(.init(.notifierPaused, "sink"), since: 60_000, data: Array(#"{"notifier":"sink"}"#.utf8))
        let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))
        let (begun, ended) = (
            condition.begun(id: id, lifetimeMilliseconds: 10), condition.ended(.removed, id: id, now: 120_000, lifetimeMilliseconds: 10)
        )
        #expect(begun.kind == .notifierPaused)
        #expect(ended.kind == .notifierRecovered)
        #expect(begun.occurredAt == 60_000)
        #expect(begun.expiresAt == 60_010)
        #expect(ended.occurredAt == 120_000)
        #expect(begun.userID.isEmpty)
        #expect(begun.identity == Event.Identity(appID: "", ticketID: nil, commentID: nil, deviceID: ""))
        #expect(String(decoding: begun.data, as: UTF8.self) == #"{"notifier":"sink","since":"1970-01-01T00:01:00.000Z"}"#)
        let end = #"{"notifier":"sink","since":"1970-01-01T00:01:00.000Z","ended_at":"1970-01-01T00:02:00.000Z","ended_because":"removed"}"#
        #expect(String(decoding: ended.data, as: UTF8.self) == end)
    }

    @Test func `other events have the member state`() {
        let condition = OperatorCondition(.init(.denialsJump, "shop"), since: 0, data: Array("no JSON".utf8))
        let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))
        let begun = condition.begun(id: id, lifetimeMilliseconds: 10)
        #expect(begun.identity.appID == "shop")
        #expect(String(decoding: begun.data, as: UTF8.self) == #"{"since":"1970-01-01T00:00:00.000Z","state":"began"}"#)
        let ended = condition.ended(.resolved, id: id, now: 1000, lifetimeMilliseconds: 10)
        #expect(
            String(decoding: ended.data, as: UTF8.self)
                == #"{"since":"1970-01-01T00:00:00.000Z","state":"ended","ended_at":"1970-01-01T00:00:01.000Z","ended_because":"resolved"}"#
        )
    }
}
