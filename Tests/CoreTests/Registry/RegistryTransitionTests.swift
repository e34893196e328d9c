import Core
import TestSupport
import Testing
import Time

/// Random inputs to the transition, over passive rows, and to a simple model.
@Suite struct RegistryTransitionTests {
    @Test(arguments: 0..<40) func `behaves like the model`(seed: Int) throws {
        var outcomes: Set<String> = []
        for run in 0..<25 {
            var life = try RegistryLife(seed: UInt64(seed * 25 + run))
            for step in 0..<40 {
                let input = try life.step(&outcomes)
                try #require(life.rows == life.naive.rows, "seed \(seed), run \(run), step \(step): \(input())")
                try #require(life.list.reported == life.naive.reported, "seed \(seed), run \(run), step \(step): \(input())")
            }
        }
        #expect(outcomes == ["registered", "unchanged", "removed", "limited"])
    }

    /// Of up to a million calls, those outside every rule's window are deleted.
    @Test func `keeps only calls within a window`() throws {
        let (list, rules) = (
            RowList(), [LimitRule(per: .app, max: 3, windowMilliseconds: 1), LimitRule(per: .service, max: 5, windowMilliseconds: 1)]
        )
        for time in 1...20 {
            let key = Device.Key(appID: "a", userID: "u", deviceID: "\(time)")
            let payload = Registration(key: key, type: "", token: try PushToken("t\(time)"), now: UnixMilliseconds(time * 10), rules: rules)
            list.apply(RegistryTransition.register(payload, devicesPerUser: 3, in: list).changes)
        }
        #expect(list.series.mapValues { $0.keys.sorted() } == [.app(ByteKey("a")): [18, 19, 20], .service: [16, 17, 18, 19, 20]])
    }

    /// Each search is a database query, during which all callers wait for their commit.
    @Test func `searches only for necessary rows`() throws {
        let (list, key) = (RowList(), Device.Key(appID: "a", userID: "u", deviceID: "d"))
        func searches(_ token: String?, _ rules: LimitRule.Scope...) throws -> [String] {
            let rules = rules.map { LimitRule(per: $0, max: 1, windowMilliseconds: 1) }
            let payload = Registration(key: key, type: "", token: try token.map { try PushToken($0) }, now: 1, rules: rules)
            list.searches = []
            list.apply(RegistryTransition.register(payload, devicesPerUser: 3, in: list).changes)
            return list.searches
        }
        #expect(try searches(nil) == ["device", "person"])
        #expect(try searches(nil) == ["device"])
        #expect(try searches("A") == ["person", "holder"])
        #expect(try searches("A") == ["person"])
        #expect(try searches("A", .user) == ["person"])
        #expect(try searches("A", .user, .device, .app, .service) == ["person", "calls", "last", "last"], "and is limited")
        #expect(try searches("B", .device) == ["person", "calls", "holder"])
        #expect(try searches("C", .app, .service) == ["person", "last", "last", "holder"])
        #expect(try searches("D", .app) == ["person", "last", "time"], "and is limited")
    }
}

struct RegistryLife {
    let list = RowList()
    private(set) var naive: NaiveRegistry
    private let devicesPerUser: Int
    private let rules: [LimitRule]
    private let tokens: [PushToken]
    private var random: SeededGenerator
    private var now: UnixMilliseconds = 100_000_000
    /// The devices at the time of calls to their providers.
    private var tried: [Device] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        tokens = try ["A", "B", "C", "D"].map { try PushToken($0) }
        devicesPerUser = Int.random(in: 1...4, using: &random)
        naive = NaiveRegistry(devicesPerUser: devicesPerUser)
        var rules: [LimitRule] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let (scope, most) = (random.element(of: LimitRule.Scope.allCases), Int.random(in: 1...8, using: &random))
            rules.append(LimitRule(per: scope, max: most, windowMilliseconds: random.element(of: [50, 100, 300])))
        }
        self.rules = rules
    }

    /// The transition's rows in the form of the model's.
    var rows: [NaiveRegistry.Row] {
        list.devices.values.sorted { $0.key < $1.key }.map { device in
            NaiveRegistry.Row(
                key: device.key, type: device.type, token: device.token?.text,
                lastToken: tokens.first { $0.digest == device.digest }?.text, environment: device.environment,
                registeredAt: device.registeredAt, seenAt: device.seenAt, isReportedByApp: device.isReportedByApp)
        }
    }

    /// Applies a random input to both, and compares the results.
    /// - Returns: a closure that renders the input. Rendering took a tenth of the test's time, and only a failure needs it.
    mutating func step(_ outcomes: inout Set<String>) throws -> () -> String {
        // Sometimes the clock advances by exactly a window, or one millisecond less; it may also be set back.
        now += random.element(of: [1, 7, 49, 50, 99, 100, 301])
        if Int.random(in: 0..<40, using: &random) == 0 { now = now + 1_000_003 * UInt64.random(in: 0..<200, using: &random) }
        if Int.random(in: 0..<60, using: &random) == 0 { now = now - 70_009 }
        let key = Device.Key(
            appID: random.element(of: ["a", "b"]), userID: random.element(of: ["u", "v"]),
            deviceID: random.element(of: ["1", "2", "3", "4"]))
        let (token, type) = (random.element(of: tokens), random.element(of: ["ios", "android"]))
        let input = { [now] in "\(key) \(token.text) \(type) \(now)" }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8:
            let outcome = try register(key, type: type, token: token, outcomes: &outcomes)
            return { "register \(input()) \(outcome)" }
        case 8..<10:
            let outcome = try register(key, type: type, token: nil, outcomes: &outcomes)
            return { "unsubscribe \(input()) \(outcome)" }
        case 10..<15:
            let learned = learn(key, type: type, token: token)
            return { "webhook \(input()) \(learned())" }
        case 15:
            let deviceID = random.element(of: [key.deviceID, nil])
            let filter = DeviceFilter(appID: key.appID, userID: key.userID, deviceID: deviceID)
            let (removed, _, changes) = RegistryTransition.remove(filter, now: now, limit: .max, in: list)
            list.apply(changes)
            try #require(removed == naive.operatorRemoves(appID: key.appID, userID: key.userID, deviceID: deviceID, at: now))
            return { "operator \(input())" }
        case 16:
            let (before, limit) = (now - UInt64.random(in: 0..<3000, using: &random), Int.random(in: 1...3, using: &random))
            let idle = list.devices.values.filter { $0.seenAt < before }.sorted { ($0.seenAt, $0.key) < ($1.seenAt, $1.key) }.prefix(limit)
            for device in idle { list.apply(RegistryTransition.removeIdle(device, now: now)) }
            naive.idle(before: before, limit: limit, at: now)
            return { "idle \(before) \(limit)" }
        default:
            let update = update(key)
            return { "news \(input()) \(update())" }
        }
    }

    private mutating func register(
        _ key: Device.Key, type: String, token: PushToken?, outcomes: inout Set<String>
    ) throws -> Registration.Outcome {
        let payload = Registration(key: key, type: type, token: token, now: now, rules: rules)
        let (outcome, changes) = RegistryTransition.register(payload, devicesPerUser: devicesPerUser, in: list)
        list.apply(changes)
        let expected =
            token.map { naive.register(key, type: type, token: $0.text, rules: rules, at: now) } ?? naive.unsubscribe(key, type, at: now)
        try #require(outcome == expected, "\(payload)")
        outcomes.insert(outcome.word)
        return outcome
    }

    private mutating func learn(_ named: Device.Key, type: String, token: PushToken) -> () -> String {
        let type = random.element(of: [type, nil, String(repeating: "x", count: 33)])
        let deviceID = random.element(of: [named.deviceID, named.deviceID, named.deviceID, "", "unknown"])
        let key = Device.Key(appID: named.appID, userID: named.userID, deviceID: deviceID)
        let event = Event(
            id: UUIDv7(milliseconds: now, using: &random), kind: .commentCreated,
            identity: Event.Identity(appID: key.appID, ticketID: 1, commentID: 1, deviceID: deviceID), userID: key.userID, deviceType: type,
            occurredAt: now, receivedAt: now, expiresAt: now, data: [])
        let isReported = deviceID != "unknown"
        list.apply(
            RegistryTransition.learn(
                IncomingEvent(event, to: [], token: isReported ? token : nil), devicesPerUser: devicesPerUser, in: list))
        if isReported { naive.webhook(key, type: type, token: token.text, at: now) }
        let devices = list.person(appID: key.appID, userID: key.userID).devices
        let targets = DeliveryPlan.candidates(for: event, in: list)
        #expect(targets.map(\.deviceID) == naive.targets(key))
        #expect(targets.allSatisfy { target in devices.contains { $0.key.deviceID == target.deviceID && $0.type == target.type } })
        return { "\(deviceID) \(type ?? "-")" }
    }

    /// Calls a provider for a device, or returns an outcome of an earlier call.
    private mutating func update(_ key: Device.Key) -> () -> String {
        if let device = list.devices[key]?.device { tried.append(device) }
        guard !tried.isEmpty else { return { "none" } }
        let device = random.element(of: tried)
        let update = random.element(
            of: [.gone(since: nil), .gone(since: now - 100), .gone(since: device.seenAt), .environment("sandbox")]
                as [FinishedAttempt.DeviceUpdate])
        list.apply(RegistryTransition.learn(update, of: device, now: now, in: list))
        switch update {
        case .gone(let since): naive.providerKnowsNoMore(device, since: since, at: now)
        case .environment(let name): naive.providerTook(device, in: name)
        }
        return { "\(device) \(update)" }
    }
}

extension Registration.Outcome {
    /// The name of the case, without associated values.
    fileprivate var word: String {
        switch self {
        case .registered: "registered"
        case .unchanged: "unchanged"
        case .removed: "removed"
        case .limited: "limited"
        case .revoked: "revoked"
        case .undecided: "undecided"
        }
    }
}
