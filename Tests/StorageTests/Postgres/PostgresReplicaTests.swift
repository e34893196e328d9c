import Core
import Postgres
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

/// Several processes on one database.
@Suite struct PostgresReplicaTests {
    private let place: PostgresSchemaFixture

    init() throws {
        place = try PostgresSchemaFixture()
    }

    private func withTwo(_ body: (_ first: PostgresStore, _ second: PostgresStore) throws -> Void) throws {
        let (first, second) = (try place.store(), try place.store())
        defer {
            first.close()
            second.close()
        }
        try body(first, second)
    }

    @Test func `each process sees the deliveries that the others have accepted`() throws {
        try withTwo { first, second in
            try first.take(Sample(1))
            #expect(try second.take(Sample(1).incoming()) == .duplicate(of: Sample(1).event.id))
            #expect(try second.pending().map(\.count) == [1])
            #expect(try second.claim(at: 2000).map(\.id) == [Sample(1).delivery().id])
            #expect(try first.claim(at: 2000) == [], "it is leased")
        }
    }

    /// Webhooks arrive at all processes at once, and some at several.
    @Test func `concurrent duplicates are accepted once`() throws {
        try withTwo { first, second in
            let accepted = Monitor<[HelpDeskID: Int]>([:])
            let senders = [first, second, first, second].map { store in
                startThread {
                    for number in 0..<100 {
                        let incoming = Sample(number).with { $0.user = "user-\(number % 7)" }.incoming()
                        do {
                            guard try store.take(incoming) == .accepted, let comment = incoming.event.identity.commentID else { continue }
                            accepted.withLock { $0[comment, default: 0] += 1 }
                        } catch {
                            Issue.record("an event was not accepted: \(error)")
                        }
                    }
                }
            }
            for sender in senders { sender.join() }
            let counts = accepted.withLock { $0 }
            #expect(counts.count == 100)
            #expect(counts.values.allSatisfy { $0 == 1 })
            let pending = try first.pending()
            #expect(pending.map(\.count) == [100])
        }
    }

    /// For any distribution of calls, all replicas together allow as many as one would.
    @Test(arguments: LimitRule.Scope.allCases) func `limits are exact across replicas`(scope: LimitRule.Scope) throws {
        try withTwo { first, second in
            let rules = [LimitRule(per: scope, max: 10, windowMilliseconds: 300_000)]
            let allowed = Monitor(0)
            let callers = [first, second, first, second].enumerated().map { index, store in
                startThread {
                    for number in 0..<15 {
                        do {
                            let payload = try Registration.of("T\(index)-\(number)", at: 1_000_000, rules: rules)
                            if case .limited = try store.payload(payload) { continue }
                            allowed.withLock { $0 += 1 }
                        } catch {
                            Issue.record("a registration failed: \(error)")
                        }
                    }
                }
            }
            for caller in callers { caller.join() }
            #expect(allowed.withLock { $0 } == 10)
        }
    }

    /// The devices of two persons exchange a token repeatedly, in both directions at once.
    @Test func `a token has one device`() throws {
        try withTwo { first, second in
            let callers = [(first, "a"), (second, "b")].map { store, user in
                startThread {
                    for number in 0..<60 {
                        do {
                            try store.put("T\(number % 3)", user: user, device: "d\(number % 4)", at: UnixMilliseconds(1000 + number))
                        } catch {
                            Issue.record("a registration failed: \(error)")
                        }
                    }
                }
            }
            for caller in callers { caller.join() }
            let tokens = try first.devices(DeviceFilter(appID: "app"), after: nil, limit: 100).map(\.token.text)
            #expect(Set(tokens).count == tokens.count)
            #expect(Set(tokens) == ["T0", "T1", "T2"])
        }
    }

    /// Each heartbeat would otherwise write a row for each notifier and app.
    @Test func `a heartbeat sums up only counters with several rows`() throws {
        let session = try PostgresSession(place.settings(), replica: Array(repeating: 1, count: 16))
        try session.migrate()
        try place.run(
            Query("INSERT INTO depth (notifier, app, pending) VALUES ('one', 1, 4), ('two', 1, 3), ('two', 1, -1), ('two', 2, 6)"))
        func rows(_ notifier: String, _ app: Int32) throws -> [String] {
            let query = Query(
                "SELECT pending || ' at ' || ctid FROM depth WHERE notifier = $1 AND app = $2", .text(notifier), .int4(app))
            return try #require(try place.run(query)).map { row throws(PostgresError) in try row.string(0) }
        }
        let (one, other) = (try rows("one", 1), try rows("two", 2))
        _ = try session.beat(keysDigest: nil) { 0 }
        #expect(try rows("one", 1) == one)
        #expect(try rows("two", 2) == other)
        #expect(try rows("two", 1).map { $0.prefix(4) } == ["2 at"])
    }

    /// A scan of another index may read the whole backlog, whatever the planner estimates.
    @Test func `a claim searches the index that leads by the app`() throws {
        // Its own server, because the statistics stay.
        let place = try PostgresSchemaFixture(PostgresServer.shared.get())
        let session = try PostgresSession(place.settings(), replica: [])
        try session.migrate()
        func fill(_ state: Int32, from first: Int64) throws {
            let insert = Query(
                """
                INSERT INTO deliveries (event, position, notifier, app, needs_device, state, leads, attempts, due_at, expires_at, reason)
                SELECT number, 0, 'webhook', 1 + number % 10, false, $1, true, 0, 1000, 9000000000000, ''
                FROM generate_series($2::bigint, $2 + 19999) AS number
                """, .int4(state), .int8(first))
            try place.run(insert)
        }
        try fill(1, from: 1)
        try place.run(Query("INSERT INTO apps (app_id) SELECT 'app' || number FROM generate_series(1, 10) AS number"), Query("ANALYZE"))
        try fill(0, from: 20_001)
        let planOf = Query(
            """
            CREATE FUNCTION plan_of(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN
                FOR line IN EXECUTE 'EXPLAIN ' || statement USING 'webhook'::text, 5000::bigint, 20::bigint,
                    '{}'::bigint[], '{}'::integer[], 0::bigint, 0::bigint, 0, 0, '{}'::integer[]
                LOOP RETURN NEXT line; END LOOP;
            END $$
            """)
        try place.run(planOf)
        var searches = 0
        for row in try session.run([Query("SELECT plan_of($1)", .text("\(ClaimStatements.due)"))])[0] {
            let line = try row.string(0)
            if line.contains(" on deliveries deliveries_") {
                #expect(line.contains(" using deliveries_turns "), "\(line)")
                searches += 1
            }
            #expect(!line.contains("deliveries_due"))
            #expect(!line.contains("deliveries_expiring"))
        }
        #expect(searches == 2)
    }

    /// Rows without a turn would be locked and read for nothing.
    @Test(arguments: [
        (limit: 0, found: 0), (limit: 8, found: 8), (limit: 20, found: 20), (limit: 60, found: 100), (limit: 512, found: 550),
    ])
    func `a scan reads few rows more than requested`(limit: Int, found: Int) throws {
        let store = try place.store()
        defer { store.close() }
        try store.takeAll(
            (0..<1000).map { number in
                Sample(number + 1).with { ($0.app, $0.ticket) = ("app\(number % 50)", HelpDeskID(Int64(number))) }
            })
        let session = try PostgresSession(place.settings(), replica: [])
        let claim = Claim(notifier: "log", now: 2000, leaseMilliseconds: 1000, limit: limit)
        #expect(try session.run([claim.dueQuery(limit: limit, from: .start, after: nil)])[0].count == found)
    }

    /// Otherwise a claim of another replica would wait for the calls of persons whose deliveries have no turn.
    @Test func `a claim locks only the rate limits of the apps in turn`() throws {
        let store = try place.store()
        defer { store.close() }
        for number in 1...6 { try store.sign("d\(number)", app: "app\(number % 2)", user: "u\(number)", at: 1000) }
        #expect(try store.claimDue(.paced(at: 2000, limit: 3)).deliveries.count == 3)
        let locked = try #require(try place.run(Query("SELECT count(*) FROM paced_calls"))).one().int64(0)
        #expect(locked == 3 * Int64(StoreContractRateLimitTests.rateLimits.count))
    }

    /// The start of later scans must not hide a delivery of an app that is not scanned now.
    @Test func `a scan reports the longest due delivery of all apps`() throws {
        let store = try place.store()
        defer { store.close() }
        for number in 1...3 {
            try store.take(Sample(number).with { ($0.app, $0.received) = ("app\(number)", UnixMilliseconds(2000 - 100 * number)) })
        }
        let session = try PostgresSession(place.settings(), replica: [])
        let claim = Claim(notifier: "log", now: 5000, leaseMilliseconds: 1000, limit: 1)
        let first = try #require(try place.run(Query("SELECT number FROM apps WHERE app_id = 'app1'"))).one().int32(0)
        let rows = try session.run([claim.dueQuery(limit: 1, from: .start, after: first)])[0]
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(try StoredRow(row).delivery.event.identity.appID == "app2")
        #expect(try ClaimFloor.Place(first: row).due == 1700)
    }

    @Test func `two replicas take turns between the apps`() throws {
        try withTwo { first, second in
            for number in 1...40 { try first.take(Sample(number)) }
            for number in 41...44 { try second.take(Sample(number).with { $0.app = "other" }) }
            let claimed = try [first, second, first, second].flatMap { try $0.claim(at: 2000, limit: 4) }
            #expect(Set(claimed.map(\.id)).count == 16)
            #expect(claimed.count { $0.event.identity.appID == "other" } == 4)
        }
    }

    @Test func `deliveries are shared and each is claimed once`() throws {
        try withTwo { first, second in
            for number in 0..<200 { try first.take(Sample(number).with { $0.keepsOrder = number % 2 == 0 }) }
            let (delivered, hasFailed) = (Monitor<[UUIDv7: Int]>([:]), Monitor(false))
            let workers = [first, second, first, second].map { store in
                startThread {
                    do {
                        // Deliveries that a failed worker had claimed stay pending.
                        while try !hasFailed.withLock({ $0 }) && !store.pending().isEmpty {
                            for delivery in try store.claim(at: 2000, limit: 7) {
                                delivered.withLock { $0[delivery.id, default: 0] += 1 }
                                try store.report(delivery, next: .delivered, at: 2001)
                            }
                        }
                    } catch {
                        hasFailed.withLock { $0 = true }
                        Issue.record("a worker failed: \(error)")
                    }
                }
            }
            for worker in workers { worker.join() }
            #expect(delivered.withLock { $0.values.sorted() } == Array(repeating: 1, count: 200))
        }
    }

    /// All claimers together make as many calls as the rate limit allows one.
    @Test func `replicas share the rate limits`() throws {
        try withTwo { first, second in
            for user in 0..<8 {
                for device in 0..<6 { try first.sign("\(device)", user: "u\(user)", at: 1000) }
            }
            let calls = Monitor<[Delivery]>([])
            let workers = [first, second, first, second].map { store in
                startThread {
                    do {
                        while true {
                            let claimed = try store.claimDue(.paced(at: 2000, limit: 3))
                            calls.withLock { $0 += claimed.deliveries }
                            // The first call of each never reaches its receiver, and no longer uses the limit.
                            for delivery in claimed.deliveries {
                                let uncountedCall =
                                    delivery.attempts == 1 ? RateLimitedCall(delivery, StoreContractRateLimitTests.rateLimits) : nil
                                if uncountedCall != nil { calls.withLock { $0.removeAll { $0 == delivery } } }
                                try store.finish([
                                    FinishedAttempt(
                                        id: delivery.id, attempt: delivery.attempts, next: .retry(at: 2000), reason: "r", now: 2000,
                                        uncountedCall: uncountedCall)
                                ])
                            }
                            if claimed.deliveries.isEmpty, claimed.nextDue ?? .max > 2000 { return }
                        }
                    } catch {
                        Issue.record("a worker failed: \(error)")
                    }
                }
            }
            for worker in workers { worker.join() }
            let made = calls.withLock { $0 }
            #expect(Set(made.map(\.event.userID)).count == made.count, "one call for a person")
            let devices = Dictionary(grouping: made, by: \.event.identity.deviceID).mapValues(\.count)
            #expect(!devices.isEmpty)
            #expect(devices.values.allSatisfy { $0 <= 5 })
            #expect(try first.deliveries(DeliveryFilter(reason: "paced"), limit: 100).count == 48)
        }
    }

    @Test func `leases of a dead process go to the others`() throws {
        let (dead, other) = (try place.store(), try place.store())
        defer {
            dead.close()
            other.close()
        }
        try dead.take(Sample(1))
        let claimed = try #require(
            try dead.claimDue(Claim(notifier: "log", now: 1000, leaseMilliseconds: 3_600_000, limit: 1)).deliveries.first)
        #expect(try other.claim(at: 2000) == [])
        // Simulates a minute of silence; the next heartbeats of both check it.
        try place.run(Query("UPDATE deliveries SET owner = '00000000-0000-7000-8000-000000000000' WHERE owner IS NOT NULL"))
        #expect(eventually { (try? other.claim(at: 2000).map(\.id)) == [claimed.id] })
        let story = try #require(try other.story(of: claimed.id))
        #expect(story.attempts.map(\.outcome) == ["interrupted", ""])
        try dead.report(claimed, next: .delivered, at: 3000)
        #expect(try other.current(claimed)?.state == .pending, "its report is on an attempt that is over")
    }

    @Test func `a reopened store finds the leases of its process`() throws {
        let replica = try PostgresStore.newReplica()
        let (lost, other) = (try place.store(replica: replica), try place.store())
        let again = try place.store(replica: replica)
        defer { for store in [lost, other, again] { store.close() } }
        try lost.takeAll((1...3).map { Sample($0) })
        let claimed = try lost.claim(at: 2000, limit: 2)
        #expect(claimed.count == 2)
        #expect(try other.claim(at: 2000).count == 1)
        #expect(try Set(again.claimedAttempts()) == Set(claimed.map { ClaimedAttempt($0) }))
        #expect(try other.claimedAttempts().count == 1)
        try again.report(claimed[0], next: .delivered, at: 2001)
        try again.report(claimed[1], next: .retry(at: 2001), reason: "claim_lost", at: 2001)
        #expect(try again.claimedAttempts() == [])
        #expect(try other.claim(at: 2001).map(\.attempts) == [2], "nobody waits for the end of the lease")
    }

    /// All times are stored by the database's clock. A replica whose clock is two hours off neither ends the others' leases, nor expires
    /// the deliveries that they accept, nor resets a limit.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `a wrong clock does no harm`(ahead: Int64) throws {
        let (right, wrong) = (try place.store(), try place.store(aheadMilliseconds: ahead))
        defer {
            right.close()
            wrong.close()
        }
        let now = SystemClock.unixMilliseconds()
        let wrongNow = now.advanced(by: ahead)
        try right.take(
            Sample(1).with {
                $0.received = now
                $0.expires = now + 3_600_000
            })
        func claim(_ time: UnixMilliseconds) -> Claim {
            Claim(notifier: "log", now: time, leaseMilliseconds: 60_000, limit: 1, longestDelayMilliseconds: 600_000)
        }
        // Later by more than the error of an offset that a heartbeat with a slow response measures.
        let claimed = try wrong.claimDue(claim(wrongNow + 30_000))
        #expect(claimed.deliveries.map(\.id) == [Sample(1).delivery().id])
        let next = try #require(claimed.nextDue)
        #expect(next.offset(from: wrongNow + 90_000).magnitude < 60_000, "it is told by the clock of who asks")
        #expect(try right.claimDue(claim(now + 30_000)).deliveries == [], "it is leased")
        let rules = [LimitRule.fiveMinutes(.user)]
        #expect(try right.payload(.of("A", at: now, rules: rules)) == .registered)
        guard case .limited(_, let until) = try wrong.payload(.of("B", at: wrongNow, rules: rules)) else {
            Issue.record("the limit was exceeded")
            return
        }
        #expect(until.offset(from: wrongNow + 300_000).magnitude < 60_000)
        let calls = try wrong.registrationCalls(of: AppUser(appID: "app", userID: "user"), devices: ["d1"])
        #expect(try #require(calls.user.earliest(ofLast: 1)).offset(from: wrongNow).magnitude < 60_000, "by the clock of who asks, too")
        for (store, expected) in [(wrong, -ahead), (right, 0)] {
            #expect(((expected - 60_000)...(expected + 60_000)).contains(try #require(store.clockOffsetMilliseconds)))
        }
    }

    @Test func `ten replicas can start at once on an empty database`() throws {
        // Its own server, because a schema of the shared one usually has tables already.
        let place = try PostgresSchemaFixture(try PostgresServer())
        let stores = Monitor<[PostgresStore]>([])
        let starters = (0..<10).map { _ in
            startThread {
                do {
                    let store = try place.store()
                    stores.withLock { $0.append(store) }
                } catch {
                    Issue.record("a store did not open: \(error)")
                }
            }
        }
        for starter in starters { starter.join() }
        let opened = stores.withLock { $0 }
        #expect(opened.count == 10)
        for (number, store) in opened.enumerated() { try store.take(Sample(number)) }
        #expect(try opened[0].pending().map(\.count) == [10])
        for store in opened { store.close() }
    }
}
