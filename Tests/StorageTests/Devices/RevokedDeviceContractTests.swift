import Core
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

extension Store {
    /// Adds a revocation.
    /// - Parameter holder: the user of the revoked key, if known.
    /// - Returns: the number of devices signed out in its transaction.
    fileprivate func signOut(_ revocation: Revocation, keyOf holder: AppUser? = nil) throws(StoreError) -> Int {
        try revoke(revocation, of: revocation.person ?? holder, announcing: nil, telling: .registry)
    }
}

/// A device that registered with a key is signed out with the key.
@Suite struct RevokedDeviceContractTests {
    /// A device, and the revocation after its registration.
    struct Phone: Sendable, CustomTestStringConvertible {
        let name: String
        let subject: Revocation.Subject
        var issuedBefore: UnixSeconds?
        var app = "app"
        /// Registers with a key that was issued at 100; nil in backend mode, at 1000.
        var hasKey = true
        let isSignedOut: Bool

        var testDescription: String { name }
    }

    private static let salt = [UInt8](repeating: 7, count: 16)

    static func claims(issuedAt: UnixSeconds = 100, keyID: UInt32 = 2, salt: [UInt8] = salt) -> KeyClaims {
        KeyClaims(KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt))
    }

    private static let phones = [
        Phone(name: "the key", subject: .securityKey(salt: salt), isSignedOut: true),
        Phone(name: "another key", subject: .securityKey(salt: [UInt8](repeating: 8, count: 16)), isSignedOut: false),
        Phone(name: "the key in another app", subject: .securityKey(salt: salt), app: "app2", isSignedOut: false),
        Phone(name: "a key, where none is known", subject: .securityKey(salt: salt), hasKey: false, isSignedOut: false),
        Phone(name: "the user's keys", subject: .user("user"), issuedBefore: 101, isSignedOut: true),
        Phone(name: "the user's keys until then", subject: .user("user"), issuedBefore: 100, isSignedOut: false),
        Phone(name: "another user's keys", subject: .user("other"), issuedBefore: 101, isSignedOut: false),
        Phone(name: "the user", subject: .user("user"), isSignedOut: true),
        Phone(name: "the user in another app", subject: .user("user"), app: "app2", isSignedOut: false),
        Phone(name: "what the user was given", subject: .user("user"), issuedBefore: 1001, hasKey: false, isSignedOut: true),
        Phone(name: "what the user was given until then", subject: .user("user"), issuedBefore: 1000, hasKey: false, isSignedOut: false),
        Phone(name: "the user without a key", subject: .user("user"), hasKey: false, isSignedOut: true),
        Phone(name: "the key id", subject: .keyID(2), isSignedOut: true),
        Phone(name: "the key id's keys", subject: .keyID(2), issuedBefore: 101, isSignedOut: true),
        Phone(name: "the key id's keys until then", subject: .keyID(2), issuedBefore: 100, isSignedOut: false),
        Phone(name: "another key id", subject: .keyID(1), isSignedOut: false),
        Phone(name: "a key id, where no key is known", subject: .keyID(2), hasKey: false, isSignedOut: false),
        Phone(name: "the app's keys", subject: .everyKey, issuedBefore: 101, isSignedOut: true),
        Phone(name: "the app's keys until then", subject: .everyKey, issuedBefore: 100, isSignedOut: false),
        Phone(name: "another app's keys", subject: .everyKey, issuedBefore: 101, app: "app2", isSignedOut: false),
        Phone(name: "what the app's users were given", subject: .everyKey, issuedBefore: 1001, hasKey: false, isSignedOut: true),
    ]

    private func payload(
        _ token: String?, user: String = "user", device: String = "d1", claims: KeyClaims?, at now: UnixMilliseconds = 1_000_500
    ) throws -> Registration {
        Registration(
            key: Device.Key(appID: "app", userID: user, deviceID: device), type: "ios", token: try token.map { try PushToken($0) },
            now: now, rules: [], claims: claims)
    }

    /// Stores a reply of support, and returns the state of its delivery to a phone.
    private func reply(_ number: Int, device: String = "", to store: any Store) throws -> Delivery.State? {
        let sample = Sample(number).with { ($0.requiresDevice, $0.device, $0.notifier) = (true, device, "push") }
        try store.take(sample)
        return try store.all().first { $0.event.id == sample.event.id }?.state
    }

    @Test(arguments: Backend.allCases, phones) func `is no longer notified`(_ backend: Backend, _ phone: Phone) throws {
        let fixture = try backend.store()
        let store = fixture.store
        #expect(try store.payload(payload("A", claims: phone.hasKey ? Self.claims() : nil)) == .registered)
        #expect(try reply(1, to: store) == .pending)
        let revocation = Revocation.sample(1, appID: phone.app, phone.subject, issuedBefore: phone.issuedBefore)
        var removed = try store.signOut(revocation)
        let isSignedOutAtOnce = phone.isSignedOut && revocation.person != nil
        #expect(removed == (isSignedOutAtOnce ? 1 : 0), "in the transaction of the revocation")
        #expect(try reply(2, to: store) == (phone.isSignedOut ? .noTarget : .pending), "at once, whatever rows are left")
        #expect(try reply(3, device: "d1", to: store) == (phone.isSignedOut ? .noTarget : .pending))
        removed += try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry)
        #expect(removed == (phone.isSignedOut ? 1 : 0))
        #expect(try store.registered() == (phone.isSignedOut ? [] : ["user d1 A"]))
        #expect(try store.revocations(of: nil, after: nil, limit: 9).map(\.devicesRemoved) == [removed])
        #expect(try store.announced().last == (phone.isSignedOut ? "operator user d1 A" : "registered user d1 A"))
        #expect(try store.signOutRevokedDevices(now: 2_000_001, telling: .registry) == nil, "nothing is left to do")
        guard phone.isSignedOut else { return }
        let token = try PushToken("A")
        try store.take(Sample(4).with { ($0.device, $0.token) = ("d1", token) }.incoming())
        #expect(try store.registered() == [], "a webhook does not bring it back")
        _ = try store.removeRevocation(revocation.id)
        #expect(try store.payload(payload("A", claims: Self.claims(issuedAt: 3000, keyID: 3))) == .registered)
        #expect(try reply(5, to: store) == .pending)
    }

    /// A comment for one device does not affect the others; devices that are not named are skipped one by one.
    @Test(arguments: Backend.allCases) func `other devices are still notified`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        for number in 1...3 {
            let claims = Self.claims(keyID: UInt32(number), salt: [UInt8](repeating: UInt8(number), count: 16))
            _ = try store.payload(payload("T\(number)", device: "d\(number)", claims: claims))
        }
        try store.revoke(.sample(1, .keyID(2)))
        let sample = Sample(1).with { ($0.requiresDevice, $0.notifier) = (true, "push") }
        try store.take(sample)
        #expect(try store.comments().map(\.deviceID) == ["d1", "d3"])
        try store.revoke(.sample(2, .securityKey(salt: [UInt8](repeating: 1, count: 16))))
        try store.take(sample.with { ($0.number, $0.comment) = (2, 2) })
        #expect(try store.comments().dropFirst(2).map(\.deviceID) == ["d3"])
    }

    /// The time when a webhook has registered a device, and the bound of a revocation, are by the same clock.
    @Test(arguments: Backend.allCases, [false, true]) func `a device from a webhook is compared by the database's clock`(
        _ backend: Backend, _ isLater: Bool
    ) throws {
        let fixture = try backend.store()
        let store = fixture.store
        let token = try PushToken("A")
        let incoming = Sample(1).with { ($0.device, $0.token) = ("d1", token) }.incoming()
        try store.take(incoming)
        let learned = store.sharedTime(of: incoming.event.receivedAt).seconds
        let bound = isLater ? learned + 10 : learned.saturating(subtracting: 10)
        let removed = try store.signOut(.sample(1, .user("user"), issuedBefore: bound))
        #expect(removed == (isLater ? 1 : 0))
        #expect(try reply(2, to: store) == (isLater ? .noTarget : .pending))
    }

    /// Otherwise it would be listed and get nothing. A webhook after the bound registers it.
    @Test(arguments: Backend.allCases, [Revocation.Subject.user("user"), .everyKey])
    func `a device that is already revoked is not registered by a webhook`(_ backend: Backend, _ subject: Revocation.Subject) throws {
        let fixture = try backend.store()
        let store = fixture.store
        let token = try PushToken("A")
        func webhook(_ number: Int, at received: UnixMilliseconds) -> IncomingEvent {
            Sample(number).with { ($0.device, $0.token, $0.received) = ("d1", token, received) }.incoming()
        }
        let early = webhook(1, at: 1_000_000)
        let bound = store.sharedTime(of: early.event.receivedAt).seconds.saturating(adding: 10)
        try store.revoke(.sample(1, subject, issuedBefore: bound))
        #expect(try store.take(early) == .accepted)
        #expect(try store.registered() == [])
        #expect(try store.take(webhook(2, at: 1_020_000)) == .accepted)
        #expect(try store.registered() == ["user d1 A"])
    }

    /// The erasure follows. It removes the devices and reports that.
    @Test(arguments: Backend.allCases) func `a forgotten person is not signed out`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        #expect(try store.payload(payload("A", claims: Self.claims())) == .registered)
        let former = try FormerUser(AppUser(appID: "app", userID: "user"), salt: [UInt8](0..<32))
        let revocation = Revocation.sample(1, .formerUser(former))
        #expect(try store.signOut(revocation) == 0)
        #expect(try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry) == 0)
        #expect(try store.announced().last == "registered user d1 A")
    }

    /// The key of the latest registration decides, even if that registration changed nothing else.
    @Test(arguments: Backend.allCases) func `a new key keeps a device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        #expect(try store.payload(payload("A", claims: Self.claims())) == .registered)
        #expect(try store.payload(payload("A", claims: Self.claims(issuedAt: 200, keyID: 3), at: 2_000_000)) == .unchanged)
        for subject in [Revocation.Subject.keyID(2), .securityKey(salt: Self.salt)] {
            let revocation = Revocation.sample(subject == .keyID(2) ? 1 : 2, subject, issuedBefore: 150)
            try store.revoke(revocation)
            #expect(try store.signOutDevices(coveredBy: revocation, now: 3_000_000, telling: .registry) == 0)
        }
        #expect(try reply(1, to: store) == .pending)
        #expect(try store.signOut(.sample(3, .user("user"), issuedBefore: 201)) == 1)
    }

    /// Other calls run between two steps, and each process continues from its own position.
    @Test(arguments: [Backend.sqlite, .postgres], [0, .max / 2] as [UInt64]) func `many devices are signed out in steps`(
        _ backend: Backend, _ budget: UInt64
    ) throws {
        let fixture = try backend.store {
            ($0.rowsPerCommit, $0.eventsPerStep, $0.sweepMilliseconds) = (3, 5, budget)
        }
        let store = fixture.store
        for number in 0..<20 {
            _ = try store.payload(payload("T\(number)", user: "user-\(number / 2)", device: "d\(number % 2)", claims: Self.claims()))
        }
        _ = try store.payload(payload("kept", user: "user-5", device: "d2", claims: Self.claims(keyID: 3)))
        try store.put("left", user: "user-6", device: "d2")
        try store.put(nil, user: "user-6", device: "d2")
        try store.put("other", app: "app2")
        let revocation = Revocation.sample(1, .keyID(2))
        try store.revoke(revocation)
        var removed = try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry)
        #expect(budget == 0 ? removed < 20 : removed == 20)
        var steps = 0
        while let more = try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) {
            (removed, steps) = (removed + more, steps + 1)
            try #require(steps < 100)
        }
        #expect(budget == 0 ? steps > 1 : steps == 0)
        #expect(removed == 20)
        #expect(try store.registered() == ["user-5 d2 kept"])
        #expect(try store.registered(app: "app2") == ["user d1 other"])
        #expect(try store.revocations(of: nil, after: nil, limit: 9).map(\.devicesRemoved) == [20])
    }

    /// Registers twenty devices of ten users with the key id 2.
    private func registerTwenty(_ store: any Store, at now: UnixMilliseconds = 1_000_500) throws {
        for number in 0..<20 {
            let (user, device) = ("user-\(number / 2)", "d\(number % 2)")
            #expect(try store.payload(payload("T\(number)", user: user, device: device, claims: Self.claims(), at: now)) == .registered)
        }
    }

    /// The search ends between two steps, and devices whose keys are valid again stay.
    @Test(arguments: [Backend.sqlite, .postgres]) func `a removed revocation signs out no further device`(_ backend: Backend) throws {
        let fixture = try backend.store { ($0.rowsPerCommit, $0.eventsPerStep, $0.sweepMilliseconds) = (3, 5, 0) }
        let store = fixture.store
        try registerTwenty(store)
        let revocation = Revocation.sample(1, .keyID(2))
        try store.revoke(revocation)
        #expect(try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry) > 0)
        let left = try store.registered()
        #expect(left.count > 10)
        _ = try store.removeRevocation(revocation.id)
        #expect(try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry) == 0)
        #expect(try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) == nil)
        #expect(try store.registered() == left)
    }

    /// Reads no other device of the app, and leaves nothing for later steps.
    @Test(arguments: Backend.allCases) func `the key of a known user is searched only among their devices`(_ backend: Backend) throws {
        let fixture = try backend.store { $0.sweepMilliseconds = 0 }
        let store = fixture.store
        #expect(try store.payload(payload("A", claims: Self.claims())) == .registered)
        let other = Self.claims(salt: [UInt8](repeating: 8, count: 16))
        #expect(try store.payload(payload("B", device: "d2", claims: other)) == .registered)
        let revocation = Revocation.sample(1, .securityKey(salt: Self.salt))
        #expect(try store.signOut(revocation, keyOf: AppUser(appID: "app", userID: "user")) == 1)
        #expect(try store.registered() == ["user d2 B"])
        #expect(try store.announced().last == "operator user d1 A")
        #expect(try store.revocations(of: nil, after: nil, limit: 9).map(\.devicesRemoved) == [1])
        #expect(try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) == nil)
    }

    /// A key belongs to one user, so the search ends with the first match.
    @Test(arguments: [Backend.sqlite, .postgres]) func `the search for a key ends with its user`(_ backend: Backend) throws {
        let fixture = try backend.store { ($0.rowsPerCommit, $0.eventsPerStep, $0.sweepMilliseconds) = (3, 1, 0) }
        let store = fixture.store
        let salt = [UInt8](repeating: 8, count: 16)
        for (token, device) in [("A", "d1"), ("B", "d2")] {
            #expect(try store.payload(payload(token, user: "a-user", device: device, claims: Self.claims(salt: salt))) == .registered)
        }
        try registerTwenty(store)
        let revocation = Revocation.sample(1, .securityKey(salt: salt))
        try store.revoke(revocation)
        #expect(try store.signOutDevices(coveredBy: revocation, now: 2_000_000, telling: .registry) == 2)
        #expect(try store.registered().count == 20)
        #expect(try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) == nil)
    }

    /// As a previous version has stored them in SQLite: the devices' keys are unknown, and no device was removed.
    @Test(
        arguments: [
            (Revocation.Subject.user("user"), 5, 1), (.everyKey, 5, 1), (.keyID(9), 5, 1), (.keyID(9), nil, 1), (.user("other"), nil, 0),
            (.securityKey(salt: salt), nil, 0),
        ] as [(Revocation.Subject, UnixSeconds?, Int)])
    func `keys of devices from an earlier version are treated as issued before`(
        _ subject: Revocation.Subject, issuedBefore: UnixSeconds?, removed: Int
    )
        throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        var store = try SQLiteStore(path: path)
        _ = try store.payload(payload("A", claims: Self.claims(issuedAt: 1000)))
        try store.revoke(.sample(1, subject, issuedBefore: issuedBefore))
        store.close()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("UPDATE devices SET issued_at = 0, key_id = NULL, salt = NULL; UPDATE revocations SET swept = 0")
        try connection.close()
        store = try SQLiteStore(path: path)
        defer { store.close() }
        #expect(try reply(1, to: store) == (removed == 1 ? .noTarget : .pending))
        #expect(try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) == removed)
        #expect(try store.registered().count == 1 - removed)
        #expect(try store.signOutRevokedDevices(now: 2_000_000, telling: .registry) == nil)
        _ = try store.payload(payload("A", claims: Self.claims(issuedAt: 1000)))
        #expect(try reply(2, to: store) == .pending)
    }

    /// A restart keeps the claims of devices.
    @Test func `a restart keeps the devices' keys`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        var store = try SQLiteStore(path: path)
        _ = try store.payload(payload("A", claims: Self.claims()))
        store.close()
        store = try SQLiteStore(path: path)
        defer { store.close() }
        try store.revoke(.sample(1, .keyID(1)))
        #expect(try reply(1, to: store) == .pending)
        try store.revoke(.sample(2, .keyID(2)))
        #expect(try reply(2, to: store) == .noTarget)
    }

    /// On another replica with a different clock, without a notification.
    @Test(arguments: phones.filter(\.hasKey), [-7_200_000, 7_200_000] as [Int64])
    func `is in force on every replica at once`(_ phone: Phone, ahead: Int64) throws {
        let place = try PostgresSchemaFixture()
        let (one, other) = (try place.store(), try place.store(aheadMilliseconds: ahead))
        defer {
            one.close()
            other.close()
        }
        let theirs = SystemClock.unixMilliseconds().advanced(by: ahead)
        #expect(try other.payload(payload("A", claims: Self.claims(), at: theirs)) == .registered)
        #expect(try reply(1, to: other) == .pending)
        let revocation = Revocation.sample(1, appID: phone.app, phone.subject, issuedBefore: phone.issuedBefore)
        var removed = try one.signOut(revocation)
        #expect(try reply(2, to: other) == (phone.isSignedOut ? .noTarget : .pending))
        removed += try other.signOutDevices(coveredBy: revocation, now: theirs, telling: .registry)
        #expect(removed == (phone.isSignedOut ? 1 : 0))
        #expect(try one.registered() == (phone.isSignedOut ? [] : ["user d1 A"]))
        #expect(try one.signOutRevokedDevices(now: SystemClock.unixMilliseconds(), telling: .registry) == nil)
    }

    /// One replica answers the operator, another one does the upkeep: each device is counted once.
    @Test func `two replicas share a search`() throws {
        let place = try PostgresSchemaFixture()
        var settings = StoreSettings()
        (settings.rowsPerCommit, settings.eventsPerStep, settings.sweepMilliseconds) = (3, 5, 0)
        let stores = try (0..<2).map { _ in try place.store(settings) }
        defer { for store in stores { store.close() } }
        let now = SystemClock.unixMilliseconds()
        try registerTwenty(stores[0], at: now)
        let revocation = Revocation.sample(1, .keyID(2))
        try stores[0].revoke(revocation)
        var removed = try stores[0].signOutDevices(coveredBy: revocation, now: now, telling: .registry)
        for turn in 1...100 {
            guard let more = try stores[turn % 2].signOutRevokedDevices(now: now, telling: .registry) else { break }
            removed += more
        }
        #expect(removed == 20)
        #expect(try stores[0].registered() == [])
        #expect(try stores[1].revocations(of: nil, after: nil, limit: 9).map(\.devicesRemoved) == [20])
        for store in stores { #expect(try store.signOutRevokedDevices(now: now, telling: .registry) == nil) }
    }
}
