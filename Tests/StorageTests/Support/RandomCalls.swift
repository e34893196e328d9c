import Core
import TestSupport
import Time

/// Random calls from a seed, with few tickets and short times, so that they interact.
struct RandomCalls {
    typealias Call = (any Store) -> String

    static let apps = ["caf\u{E9}", "cafe\u{301}"]
    private static let notifiers = ["log", "http", "registry"]
    private static let rateLimits = [
        OutboundRateLimit(per: .person, max: 1, windowMilliseconds: 60), OutboundRateLimit(per: .device, max: 3, windowMilliseconds: 80),
    ]

    var random: SeededGenerator
    private(set) var now: UnixMilliseconds = 1000
    var number = 0

    init(seed: Int) {
        random = SeededGenerator(seed: UInt64(seed))
    }

    mutating func reopens() -> Bool { Int.random(in: 0..<20, using: &random) == 0 }

    mutating func next() -> Call {
        // The clock may also be set back.
        now = now + UInt64.random(in: 0..<40, using: &random) - UInt64.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 31..<39: return bots()
        case 39: return erase()
        case 30: return giveUpPending()
        case 0..<8: return accept()
        case 8..<13: return claim()
        case 13..<19: return finish()
        case 19: return retry()
        case 20: return giveUpExpired()
        case 21: return purge()
        case 22..<28: return register()
        case 28: return removeDevices()
        default: return removeIdleDevices()
        }
    }

    private mutating func accept() -> Call {
        number += 1
        var sample = Sample(number)
        // Identities with equal numbers, or with texts that are equal in Unicode, are distinct.
        sample.comment = HelpDeskID((random.element(of: ["", "0", "m"]) as String) + "\(Int.random(in: 1..<10, using: &random))")
        sample.ticket = random.element(of: [1, 2, "01", "caf\u{E9}", "cafe\u{301}"])
        let key = deviceKey()
        (sample.app, sample.user) = (key.appID, key.userID)
        sample.device = random.element(of: [key.deviceID, key.deviceID, ""])
        sample.deviceType = random.element(of: ["ios", "android", nil])
        sample.token = Int.random(in: 0..<4, using: &random) == 0 ? token() : nil
        sample.received = now
        sample.received = now + UInt64.random(in: 0..<60, using: &random)
        sample.expires = now + UInt64.random(in: 50..<400, using: &random)
        let names = random.element(of: [["log"], ["http"], ["log", "http"], ["log", "log"], []])
        sample.keepsOrder = Bool.random(using: &random)
        sample.requiresDevice = Bool.random(using: &random)
        sample.deviceTypes = random.element(of: [.all, .all, .only(["ios"]), .except(["ios"])])
        let incoming = sample.incoming(to: names)
        return { store in describe { try store.take(incoming) } }
    }

    private mutating func claim() -> Call {
        let claims = claims(Int.random(in: 1..<4, using: &random))
        return { store in describe { try store.work([], claims) } }
    }

    private mutating func claims(_ count: Int) -> [Claim] {
        (0..<count).map { _ in
            Claim(
                notifier: random.element(of: Self.notifiers), now: now, leaseMilliseconds: UInt64.random(in: 1..<100, using: &random),
                limit: Int.random(in: 0..<6, using: &random), longestDelayMilliseconds: random.element(of: [.max, .max, 40]),
                rateLimits: number % 3 == 0 ? [] : Self.rateLimits)
        }
    }

    private mutating func finish() -> Call {
        let time = now
        let claims = claims(Int.random(in: 0..<2, using: &random))
        let pick = Int.random(in: 0..<8, using: &random)
        let stale = Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0
        let rateLimits = number % 2 == 0 ? [] : Self.rateLimits
        let next = random.element(of: [.delivered, .dead, .retry(at: now + 30), .givenUp(.expired)] as [FinishedAttempt.Next])
        let update = random.element(
            of: [nil, nil, .gone(since: nil), .gone(since: now), .environment("sandbox")] as [FinishedAttempt.DeviceUpdate?])
        // Each store chooses among its own deliveries, which are equal until the test fails.
        return { store in
            describe {
                let tried = try store.all().filter { $0.attempts > 0 }.prefix(8)
                guard let delivery = tried.dropFirst(pick % max(1, tried.count)).first else { return "none" }
                let report = FinishedAttempt(
                    id: delivery.id, attempt: delivery.attempts - stale, next: next, reason: "r\(pick)", now: time,
                    device: delivery.device, update: update, uncountedCall: RateLimitedCall(delivery, rateLimits))
                return "\(try store.work([report], claims))"
            }
        }
    }

    private mutating func retry() -> Call {
        let (time, expiry) = (now, now + UInt64.random(in: 0..<300, using: &random))
        var filter = DeliveryFilter()
        filter.notifier = random.element(of: ["log", nil])
        filter.ticketID = random.element(of: [1, "01", "caf\u{E9}", nil, nil])
        let chosen = filter
        return { store in
            describe {
                let step = try store.retryAll(chosen, now: time, expiresAt: expiry)
                return "\(step.retried) of \(step.seen), kept \(RetryObstacle.allCases.map { step.kept[$0] ?? 0 })"
            }
        }
    }

    private mutating func giveUpExpired() -> Call {
        let (time, limit) = (now, Int.random(in: 0..<6, using: &random))
        return { store in describe { try store.giveUpExpired(now: time, limit: limit) } }
    }

    private mutating func giveUpPending() -> Call {
        let (time, limit, notifier) = (now, Int.random(in: 0..<4, using: &random), random.element(of: Self.notifiers))
        return { store in describe { try store.giveUpPending(notifier: notifier, now: time, limit: limit) } }
    }

    private mutating func purge() -> Call {
        let time = now
        let age = UInt64.random(in: 0..<200, using: &random)
        // The most recently received events are still deduplicated.
        let now = time + Deduplication.milliseconds - UInt64.random(in: 0..<300, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
            let state = random.element(of: Delivery.State.allCases)
            return { store in describe { try store.forget(state, endedBefore: time - age, limit: 1000) } }
        }
        return { store in
            describe { try store.purge(now: now, deliveredBefore: time - age, deadBefore: time - age / 2, limit: 1000) }
        }
    }

    private mutating func register() -> Call {
        let rules = random.element(of: [
            [], [], [LimitRule(per: .user, max: 2, windowMilliseconds: 100)],
            [LimitRule(per: .device, max: 1, windowMilliseconds: 50), LimitRule(per: .app, max: 4, windowMilliseconds: 100)],
            [LimitRule(per: .service, max: 5, windowMilliseconds: 60)],
        ])
        let payload = Registration(
            key: deviceKey(), type: random.element(of: ["ios", "android"]),
            token: Int.random(in: 0..<4, using: &random) == 0 ? nil : token(),
            now: now, rules: rules)
        return { store in describe { try store.payload(payload) } }
    }

    private mutating func removeDevices() -> Call {
        let (time, key) = (now, deviceKey())
        let filter = DeviceFilter(
            appID: key.appID, userID: key.userID, deviceID: random.element(of: [key.deviceID, nil]))
        return { store in describe { try store.removeDevices(filter, now: time) } }
    }

    private mutating func removeIdleDevices() -> Call {
        let time = now
        let age = UInt64.random(in: 0..<300, using: &random)
        let limit = Int.random(in: 0..<5, using: &random)
        return { store in describe { try store.removeIdleDevices(seenBefore: time.saturating(subtracting: age), now: time, limit: limit) } }
    }

    private mutating func erase() -> Call {
        let (time, key) = (now, deviceKey())
        return { store in
            describe {
                let erasure = try store.erase(AppUser(appID: key.appID, userID: key.userID), now: time, telling: .nobody)
                let counts = [erasure.devices, erasure.events, erasure.deliveries, erasure.botCalls]
                return "\(counts) \(Erasure.Deliveries.list(erasure.pending))"
            }
        }
    }

    mutating func deviceKey() -> Device.Key {
        Device.Key(
            appID: random.element(of: Self.apps), userID: random.element(of: ["u", "v"]),
            deviceID: random.element(of: ["1", "2", "3", "4", "5"]))
    }

    private mutating func token() -> PushToken? {
        try? PushToken(random.element(of: ["A", "B", "C", "D", "E", "F"]))
    }
}

func describe<Value>(_ call: () throws -> Value) -> String {
    do {
        return "\(try call())"
    } catch let error as StoreError {
        return error.kind.rawValue
    } catch {
        return "another error"
    }
}
