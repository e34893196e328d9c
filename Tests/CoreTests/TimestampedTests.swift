import Core
import Testing
import Time

@Suite struct TimestampedTests {
    /// Values of every type, and of every case with a time. No member is nil or empty.
    private static func samples() throws -> [any Timestamped] {
        let trace = TraceContext(traceID: 1, spanID: 2, isSampled: true)
        let token = try PushToken("token")
        let device = Device(
            key: Device.Key(appID: "app", userID: "user", deviceID: "d1"), type: "ios", token: token, environment: "sandbox",
            registeredAt: 1001, seenAt: 1002)
        let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))
        let event = happened(.commentCreated, id)
        let delivery = Delivery(
            id: id, notifier: "log", event: event, deviceID: "d1", device: device, state: .dead, attempts: 2, dueAt: 1003, endedAt: 1004,
            reason: "timeout"
        ).attempted(in: trace)
        let attempt = DeliveryAttempt(number: 1, startedAt: 1005, endedAt: 1006, outcome: "dead", reason: "timeout")
        let pause = SharedPause(.slowDown, reason: "status_429", until: 1007, isOwn: true)
        let ending = BotCall.Ending(.failed, statusCode: 500, reason: "status_500", at: 1008)
        let call = BotCall(
            id: id, key: Array(repeating: 1, count: BotCall.keyCount), appID: "app", userID: "user", bot: "shop", function: "order",
            argumentsSHA256: "ab", arguments: "{}", at: 1009, ending: ending)
        let rule = LimitRule(per: .user, max: 1, windowMilliseconds: 100)
        let times = CallTimes().adding(1010, keeping: 2).adding(1011, keeping: 2)
        var (deliveries, calls) = (DeliveryFilter(), BotCallFilter())
        (deliveries.id, deliveries.state, deliveries.kind, deliveries.reason) = (id, .dead, .commentCreated, "timeout")
        (deliveries.appID, deliveries.userID, deliveries.notifier) = ("app", "user", "log")
        (deliveries.ticketID, deliveries.commentID) = (1, 2)
        (calls.appID, calls.userID, calls.bot, calls.function, calls.outcome) = ("app", "user", "shop", "order", .failed)
        (deliveries.receivedFrom, deliveries.receivedBefore, calls.since) = (1012, 1013, 1014)
        // By the store's own clock.
        deliveries.endedBy = 7
        let dead = DeadDeliveries(
            notifier: "log", appID: "app", reason: "timeout", count: 2, oldestReceivedAt: 1027, newestReceivedAt: 1028, newestEndedAt: 1029)
        return [
            event, happened(.userForgotten, id), delivery, attempt, pause, ending, call, deliveries, calls, device, times,
            IncomingEvent(event, to: [Subscription(notifier: "log")], token: token, isErased: true),
            Registration(
                key: device.key, type: "ios", token: token, now: 1015, rules: [rule],
                claims: KeyClaims(KeyIdentity(keyID: 1, issuedAt: 8, salt: [UInt8](repeating: 2, count: 16)))),
            Registration.Outcome.limited(rule: rule, until: 1016), Registration.Outcome.registered,
            RegistrationCalls(user: times, devices: [times, times]),
            Claim(
                notifier: "log", now: 1017, leaseMilliseconds: 10, limit: 1, longestDelayMilliseconds: 5, heldMilliseconds: 6,
                rateLimits: [OutboundRateLimit(per: .person, max: 1, windowMilliseconds: 100)], pauseUpdates: [.begins(pause), .ends]),
            Claimed([delivery], expired: 1, withoutTarget: 2, putOff: 3, nextDue: 1018, pauses: [pause]),
            FinishedAttempt(
                id: id, attempt: 1, next: .retry(at: 1019), reason: "timeout", now: 1020, device: device, update: .gone(since: 1021)),
            FinishedAttempt.Next.delivered, DeliveryStory(delivery: delivery, attempts: [attempt]),
            DeliveryPage([delivery], next: DeliveryCursor(event: 7, position: 8)),
            PendingDeliveries(notifier: "log", count: 1, oldestReceivedAt: 1022),
            dead, DeadCounts([dead], endedBy: 7), BotCallBeginning.repeated(call), BotCallBeginning.new,
            BotCallPage([call], next: BotCallCursor(at: 7, number: 8)),
            KeyUse(appID: "app", keyID: 1, since: 1023, usedAt: 1024),
            OperatorCondition(OperatorCondition.Key(.diskLow, "store"), since: 1025, data: [1]),
            Revocation(
                id: id, appID: "app", subject: .user("user"), issuedBefore: 7, reason: "lost", author: "admin", createdAt: 1026),
            ReadReceipt(
                AppUser(appID: "app", userID: "user"), conversation: 1, notifiers: ["apns"], receivedAt: 1033, readAt: 1034),
        ]
    }

    private static func happened(_ kind: Event.Kind, _ id: UUIDv7) -> Event {
        Event(
            id: id, kind: kind, identity: Event.Identity(appID: "app", ticketID: 1, commentID: 2, deviceID: "d1"), userID: "user",
            deviceType: "ios", occurredAt: 1030, receivedAt: 1031, expiresAt: 1032, data: [1],
            trace: TraceContext(traceID: 1, spanID: 2, isSampled: true))
    }

    /// The times in a value, by their paths.
    private func moments(in value: Any, at place: String = "") -> [String: UnixMilliseconds] {
        if let moment = value as? UnixMilliseconds { return [place: moment] }
        if let times = value as? CallTimes {
            let pairs = (1...2).compactMap { count in times.earliest(ofLast: count).map { ("\(place).\(count)", $0) } }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        let mirror = Mirror(reflecting: value)
        let isContainer = mirror.displayStyle == .optional || mirror.displayStyle == .collection
        // An uncounted call has no time.
        if isContainer, mirror.children.isEmpty, place != ".uncountedCall" { Issue.record("a sample lacks \(place)") }
        var found: [String: UnixMilliseconds] = [:]
        for (index, child) in mirror.children.enumerated() {
            found.merge(moments(in: child.value, at: "\(place).\(child.label ?? "\(index)")")) { first, _ in first }
        }
        return found
    }

    /// Whether a time is not by this machine's clock: an event's time for receivers, a provider's time since which a device is
    /// unregistered, compared with the last time the store has seen it, and a help desk's time of a read receipt.
    private func isOfOthers(_ place: String) -> Bool { [".occurredAt", ".gone.", ".device.", ".readAt"].contains { place.contains($0) } }

    @Test func `every time is converted`() throws {
        for sample in try Self.samples() {
            let name = "\(type(of: sample))"
            let later = sample.converted { $0 + 500_000 }
            let expected = moments(in: sample).map { place, moment in
                (place, isOfOthers(place) ? moment : moment + 500_000)
            }
            #expect(moments(in: later) == Dictionary(uniqueKeysWithValues: expected), "\(name)")
        }
    }

    @Test func `no other member is changed`() throws {
        for sample in try Self.samples() {
            let back = sample.converted { $0 + 500_000 }.converted { $0 - 500_000 }
            #expect("\(back)" == "\(sample)")
        }
    }
}
