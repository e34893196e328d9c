import Core
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// A revocation is checked in the transaction of a registration and of a webhook, because the routes' cached snapshot may be stale.
@Suite struct AdmissionContractTests {
    /// A registration, and the revocation before it.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let name: String
        let subject: Revocation.Subject
        var issuedBefore: UnixSeconds?
        var app = "app"
        var claims: KeyClaims? = AdmissionContractTests.claims(issuedAt: 100)
        let isRefused: Bool

        var testDescription: String { name }
    }

    private static let salt = [UInt8](repeating: 7, count: 16)
    private static let person = AppUser(appID: "app", userID: "user")

    private static func claims(issuedAt: UnixSeconds) -> KeyClaims {
        KeyClaims(KeyIdentity(keyID: 2, issuedAt: issuedAt, salt: salt))
    }

    private static func former(_ person: AppUser = person) throws -> FormerUser {
        try FormerUser(person, salt: [UInt8](0..<32))
    }

    private static func attempts() throws -> [Attempt] {
        let other = AppUser(appID: "app", userID: "other")
        return [
            Attempt(name: "the key", subject: .securityKey(salt: salt), isRefused: true),
            Attempt(name: "another key", subject: .securityKey(salt: [UInt8](repeating: 8, count: 16)), isRefused: false),
            Attempt(name: "the key in another app", subject: .securityKey(salt: salt), app: "app2", isRefused: false),
            Attempt(name: "the user's keys", subject: .user("user"), issuedBefore: 101, isRefused: true),
            Attempt(name: "the user's keys until then", subject: .user("user"), issuedBefore: 100, isRefused: false),
            Attempt(name: "another user's keys", subject: .user("other"), issuedBefore: 101, isRefused: false),
            Attempt(name: "the user", subject: .user("user"), isRefused: true),
            Attempt(name: "the user in another app", subject: .user("user"), app: "app2", isRefused: false),
            Attempt(name: "the key id", subject: .keyID(2), isRefused: true),
            Attempt(name: "the key id's keys", subject: .keyID(2), issuedBefore: 101, isRefused: true),
            Attempt(name: "the key id's keys until then", subject: .keyID(2), issuedBefore: 100, isRefused: false),
            Attempt(name: "another key id", subject: .keyID(1), isRefused: false),
            Attempt(name: "the app's keys", subject: .everyKey, issuedBefore: 101, isRefused: true),
            Attempt(name: "the app's keys until then", subject: .everyKey, issuedBefore: 100, isRefused: false),
            Attempt(name: "another app's keys", subject: .everyKey, issuedBefore: 101, app: "app2", isRefused: false),
            Attempt(name: "the user, forgotten", subject: .formerUser(try former()), isRefused: true),
            Attempt(name: "another user, forgotten", subject: .formerUser(try former(other)), isRefused: false),
            // In backend mode the time of the call decides, which is 1 here.
            Attempt(name: "the user, whom a backend lets in", subject: .user("user"), claims: nil, isRefused: true),
            Attempt(
                name: "the user, forgotten, whom a backend lets in", subject: .formerUser(try former()), claims: nil, isRefused: true),
            Attempt(name: "a call before a sign-out", subject: .user("user"), issuedBefore: 2, claims: nil, isRefused: true),
            Attempt(name: "a call after a sign-out", subject: .user("user"), issuedBefore: 1, claims: nil, isRefused: false),
            Attempt(name: "a call before another user's sign-out", subject: .user("other"), issuedBefore: 2, claims: nil, isRefused: false),
            Attempt(name: "a call before all sign out", subject: .everyKey, issuedBefore: 2, claims: nil, isRefused: true),
            Attempt(name: "a call after all have signed out", subject: .everyKey, issuedBefore: 1, claims: nil, isRefused: false),
            Attempt(name: "a key id that only a backend knows", subject: .keyID(2), claims: nil, isRefused: false),
            Attempt(name: "a key that only a backend knows", subject: .securityKey(salt: salt), claims: nil, isRefused: false),
        ]
    }

    private func payload(
        _ token: String?, claims: KeyClaims?, user: String = "user", at now: UnixMilliseconds = 1000, _ rules: [LimitRule] = []
    ) throws -> Registration {
        Registration(
            key: Device.Key(appID: "app", userID: user, deviceID: "d1"), type: "ios", token: try token.map { try PushToken($0) }, now: now,
            rules: rules, claims: claims)
    }

    @Test(arguments: Backend.allCases, try attempts()) func `rejects a registration`(_ backend: Backend, _ attempt: Attempt) throws {
        let fixture = try backend.store()
        let store = fixture.store
        // The store has read its revocations before.
        _ = try store.payload(payload("Z", claims: nil, user: "somebody"))
        let revocation = Revocation.sample(1, appID: attempt.app, attempt.subject, issuedBefore: attempt.issuedBefore)
        try store.revoke(revocation)
        let rules = [LimitRule.fiveMinutes(.user)]
        #expect(try store.payload(payload("A", claims: attempt.claims, rules)) == (attempt.isRefused ? .revoked : .registered))
        #expect(try store.device()?.token.text == (attempt.isRefused ? nil : "A"))
        guard attempt.isRefused else { return }
        #expect(try store.payload(payload(nil, claims: attempt.claims)) == .revoked)
        guard try store.removeRevocation(revocation.id) != nil else { return }
        #expect(try store.payload(payload("A", claims: attempt.claims, rules)) == .registered, "what was refused does not count")
    }

    /// A transaction that is rolled back includes its revocation.
    @Test func `a revocation that was rolled back rejects nothing`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        try store.take(Sample(1))
        // Its event's id is in use.
        #expect(throws: StoreError.self) { try store.revoke(.sample(1, .user("user")), announcing: Sample(1).incoming()) }
        #expect(try store.revocations(of: nil, after: nil, limit: 1).isEmpty)
        #expect(try store.payload(payload("A", claims: Self.claims(issuedAt: 100))) == .registered)
    }

    @Test(arguments: Backend.allCases) func `stores nothing about a forgotten user`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.take(Sample(1).with { $0.user = "other" })
        try store.revoke(.sample(1, .formerUser(try Self.former())))
        let token = try PushToken("A")
        #expect(try store.take(Sample(2).with { ($0.device, $0.token) = ("d1", token) }.incoming()) == .ignored)
        #expect(try store.all().map(\.event.id) == [Sample(1).event.id])
        #expect(try store.registered() == [])
        #expect(try store.proveErasure(of: PersonTraces(Self.person)).tables.isEmpty)
        #expect(try store.take(Sample(3).with { $0.user = "other" }.incoming()) == .accepted)
    }

    /// Events that report the erasure of a person are stored after it.
    @Test(arguments: Backend.allCases) func `stores the event of an erasure`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.revoke(.sample(1, .formerUser(try Self.former())))
        for (number, isErased) in [(1, false), (2, true)] {
            let incoming = Sample(number).incoming()
            let event = IncomingEvent(incoming.event, to: incoming.subscriptions, isErased: isErased)
            #expect(try store.take(event) == (isErased ? .accepted : .ignored))
        }
        let reported = try #require(try store.claim(at: 2000).first)
        #expect(reported.event.id == Sample(2).event.id)
        try store.report(reported, next: .delivered, at: 2001)
        #expect(try store.proveErasure(of: PersonTraces(Self.person)).tables.isEmpty)
        #expect(try !store.all().contains { $0.event.userID == "user" })
    }

    @Test(arguments: Backend.allCases) func `each registration of a batch is checked separately`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        let token = try PushToken("A")
        try store.revoke(.sample(1, .formerUser(try Self.former())))
        try store.revoke(.sample(2, .user("blocked")))
        let answers = ["user", "blocked", "other"].enumerated().map { number, user in
            let answer = Answer<Acceptance>()
            let sample = Sample(number).with { ($0.user, $0.device, $0.token) = (user, "d-\(user)", user == "other" ? token : nil) }
            store.accept(sample.incoming(), telling: .registry, isAwaited: { true }) { answer.set($0) }
            return answer
        }
        #expect(try answers.map { try $0.get() } == [.ignored, .accepted, .accepted])
        #expect(try store.registered() == ["other d-other A"])
        #expect(try store.proveErasure(of: PersonTraces(Self.person)).tables.isEmpty)
    }
}

/// The same on replicas with different clocks.
@Suite struct SharedAdmissionTests {
    /// The offsets of the second replica's clock, in milliseconds.
    private static let skews: [Int64] = [-7_200_000, 7_200_000]

    /// Opens two replicas, and closes them after the body.
    /// - Parameter ahead: the offset of the second one's clock, in milliseconds.
    private func withReplicas(ahead: Int64, _ body: (PostgresSchemaFixture, any Store, any Store) throws -> Void) throws {
        let place = try PostgresSchemaFixture()
        let (one, other) = (try place.store(), try place.store(aheadMilliseconds: ahead))
        defer {
            one.close()
            other.close()
        }
        try body(place, one, other)
    }

    private func payload(_ token: String, user: String = "user", at now: UnixMilliseconds) throws -> Registration {
        Registration(
            key: Device.Key(appID: "app", userID: user, deviceID: "d1"), type: "ios", token: try PushToken(token), now: now, rules: [],
            claims: KeyClaims(KeyIdentity(keyID: 1, issuedAt: 100, salt: [UInt8](repeating: 7, count: 16))))
    }

    /// Registers while another connection holds the locks of all persons.
    /// - Parameter body: called once the registration waits for them.
    private func register(
        _ payload: Registration, at store: any Store, in place: PostgresSchemaFixture,
        meanwhile body: (Connection) throws(PostgresError) -> Void
    ) throws -> Registration.Outcome {
        // A transaction that waits for a row's lock holds the row's place in the queue.
        let waits = Query(
            """
            DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_locks
                WHERE locktype = 'tuple' AND relation = 'persons'::regclass) > 0; END $$
            """)
        let answer = Answer<Registration.Outcome>()
        let other = try Connection(try place.settings(), by: .after(milliseconds: WaitLimit.milliseconds))
        try other.transaction(by: .after(milliseconds: WaitLimit.milliseconds)) { () throws(PostgresError) in
            _ = try other.run(Query("SELECT FROM persons FOR UPDATE"), by: .after(milliseconds: WaitLimit.milliseconds))
            store.register(payload) { answer.set($0) }
            #expect(eventually { (try? place.run(waits)) != nil })
            try body(other)
        }
        return try answer.get()
    }

    @Test(arguments: skews) func `a revocation on one replica applies on the other at once`(ahead: Int64) throws {
        try withReplicas(ahead: ahead) { _, one, other in
            let (now, theirs) = (SystemClock.unixMilliseconds(), SystemClock.unixMilliseconds().advanced(by: ahead))
            #expect(try other.payload(payload("A", at: theirs)) == .registered)
            let block = Revocation.sample(1, .user("user"))
            try one.revoke(block)
            #expect(try other.payload(payload("B", at: theirs)) == .revoked)
            #expect(try other.device() == nil)
            _ = try one.removeRevocation(block.id)
            #expect(try other.payload(payload("B", at: theirs)) == .registered)
            let former = try FormerUser(AppUser(appID: "app", userID: "user"), salt: [UInt8](0..<32))
            try other.revoke(.sample(2, .formerUser(former)))
            #expect(try one.payload(payload("C", at: now)) == .revoked)
            #expect(try one.take(Sample(1).incoming()) == .ignored)
            #expect(try one.take(Sample(2).with { $0.user = "another" }.incoming()) == .accepted)
        }
    }

    /// A replica whose last poll is older than the record of removals reads all revocations again.
    @Test(arguments: skews) func `revocations are read again when removals are no longer recorded`(ahead: Int64) throws {
        try withReplicas(ahead: ahead) { place, one, other in
            let now = SystemClock.unixMilliseconds()
            let blocks = (1...3).map { Revocation.sample(UInt64($0), .user("user-\($0)")) }
            for block in blocks { try other.revoke(block) }
            #expect(try one.payload(payload("A", user: "user-1", at: now)) == .revoked)
            for block in blocks.prefix(2) { _ = try other.removeRevocation(block.id) }
            try place.run(Query("DELETE FROM removed_revocations"), Query("UPDATE revocation_versions SET forgotten = last"))
            #expect(try one.payload(payload("A", user: "user-1", at: now)) == .registered)
            #expect(try one.payload(payload("C", user: "user-3", at: now)) == .revoked)
        }
    }

    /// Behind a pooler the connection survives a failover, and the new server may lack recent changes.
    @Test(arguments: skews) func `revocations are read again when their version decreases`(ahead: Int64) throws {
        try withReplicas(ahead: ahead) { place, one, other in
            let now = SystemClock.unixMilliseconds()
            for number in 1...3 as ClosedRange<UInt64> { try other.revoke(.sample(number, .user("user-\(number)"))) }
            #expect(try one.payload(payload("A", user: "user-1", at: now)) == .revoked)
            try place.run(Query("DELETE FROM revocations WHERE version > 1"), Query("UPDATE revocation_versions SET last = 1"))
            #expect(try one.payload(payload("A", user: "user-2", at: now)) == .registered)
            try other.revoke(.sample(4, .user("user-4")))
            try other.revoke(.sample(5, .user("user-5")))
            for number in 4...5 { #expect(try one.payload(payload("B", user: "user-\(number)", at: now)) == .revoked) }
            #expect(try one.payload(payload("C", user: "user-3", at: now)) == .registered)
        }
    }

    /// A batch waits for the lock of a person, and another transaction deletes the row. Without a new row nothing would be locked or
    /// counted.
    @Test func `a row that is deleted in the meantime is created again`() throws {
        let place = try PostgresSchemaFixture()
        let store = try place.store()
        defer { store.close() }
        let key = Device.Key(appID: "app", userID: "user", deviceID: "d1")
        let now = SystemClock.unixMilliseconds()
        let payloads = try ["A", "B", "C"].map { token in
            let rules = token == "A" ? [] : [LimitRule.fiveMinutes(.user)]
            return Registration(key: key, type: "ios", token: try PushToken(token), now: now, rules: rules)
        }
        #expect(try store.payload(payloads[0]) == .registered)
        let outcome = try register(payloads[1], at: store, in: place) { other throws(PostgresError) in
            _ = try other.run(Query("DELETE FROM persons"), by: .after(milliseconds: WaitLimit.milliseconds))
        }
        #expect(outcome == .registered)
        guard case .limited = try store.payload(payloads[2]) else {
            Issue.record("the call that waited was not counted")
            return
        }
    }

    /// The version of the revocations is read after the lock. Revoking a key id does not wait for a person's lock.
    @Test(arguments: skews) func `a registration that waits gets revocations made in the meantime`(ahead: Int64) throws {
        try withReplicas(ahead: ahead) { place, one, other in
            let theirs = SystemClock.unixMilliseconds().advanced(by: ahead)
            #expect(try other.payload(payload("A", at: theirs)) == .registered)
            let outcome = try register(payload("B", at: theirs), at: other, in: place) { _ in
                #expect(throws: Never.self) { try one.revoke(.sample(1, .keyID(1))) }
            }
            #expect(outcome == .revoked)
        }
    }

    /// A sign-out on one replica and a registration on another one, in either order: the device is gone.
    @Test(arguments: skews) func `a registration does not survive a sign-out`(ahead: Int64) throws {
        try withReplicas(ahead: ahead) { _, one, other in
            let theirs = SystemClock.unixMilliseconds().advanced(by: ahead)
            for round in 1...20 as ClosedRange<UInt64> {
                let user = "user-\(round)"
                let answers = (0..<4).map { _ in Answer<Registration.Outcome>() }
                for (number, answer) in answers.enumerated() {
                    other.register(try payload("T\(round)-\(number)", user: user, at: theirs)) { answer.set($0) }
                }
                try one.revoke(.sample(round, .user(user), issuedBefore: 101))
                _ = try one.removeDevices(DeviceFilter(appID: "app", userID: user), now: SystemClock.unixMilliseconds())
                for answer in answers { _ = try answer.get() }
                #expect(try one.device(user: user) == nil, "round \(round)")
            }
        }
    }
}
