internal import Core
internal import Postgres
internal import Time

/// Events and registrations that become durable in one transaction, which `PostgresBatch+Flush` writes.
final class PostgresBatch {
    /// A comment of a ticket, for any device.
    struct CommentKey: Hashable {
        let app: Int32
        let comment: HelpDeskID
        let ticket: HelpDeskID
    }

    /// A received comment, for one device.
    struct Known {
        let id: UUIDv7
        let device: ByteKey
    }

    /// A device that a notifier notifies of a comment.
    struct NotifiedDevice: Hashable {
        let notifier: ByteKey
        let device: ByteKey
    }

    struct Siblings {
        var events: [Known] = []
        var notified: Set<NotifiedDevice> = []
    }

    struct NewEvent {
        let event: Event
        let app: Int32
        let data: [UInt8]
        let rows: [DeliveryPlan.Row]
        let isErased: Bool
    }

    let unit: UnitOfWork
    let depth: QueueDepth
    var audience: RegistryAudience
    private var random: any RandomNumberGenerator & Sendable
    var comments: [CommentKey: Siblings] = [:]
    var past: [Event.Identity: UUIDv7] = [:]
    var conversations: [ConversationKey: ConversationState] = [:]
    /// The states to write, with the times of their reports.
    var changedConversations: [ConversationKey: UnixMilliseconds] = [:]
    var newEvents: [NewEvent] = []
    /// Comments without an event, which are only deduplicated.
    var remembered: [RememberedComment] = []
    /// The database's results of beginning bots' calls, by their ids.
    var begunCalls: [UUIDv7: BotCallBeginning] = [:]
    var endedCalls: [(id: UUIDv7, ending: BotCall.Ending)] = []
    private(set) var refused: [(notifier: String, ending: DeliveryEnding)] = []

    /// Begins with a transaction that has read nothing.
    init(_ unit: UnitOfWork, _ known: PendingByApp<Int32?>?, random: any RandomNumberGenerator & Sendable) {
        self.unit = unit
        depth = QueueDepth(known)
        audience = .nobody
        self.random = random
    }

    /// Stores an event with its deliveries. A duplicate is detected even without room in the queue.
    func accept(_ incoming: IncomingEvent) throws(PostgresError) -> Result<Acceptance, StoreError> {
        let event = incoming.event
        let app = try unit.number(event.identity.appID)
        if let earlier = duplicate(of: event.identity, app) { return .success(.duplicate(of: earlier)) }
        if let refusal = try Admission.refusal(of: incoming, in: unit) { return refusal }
        try apply(RegistryTransition.learn(incoming, devicesPerUser: unit.settings.devicesPerUser, in: unit))
        // Checked last, because the number is known only now. The collected facts stay valid.
        switch try admitted(try plan(incoming, app), event: event, app: app) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let rows):
            insert(incoming, rows: rows, app: app)
            return .success(.accepted)
        }
    }

    /// Registers a device or signs it out, if the limits allow it.
    func register(_ registration: Registration) throws(PostgresError) -> Registration.Outcome {
        let (outcome, changes) = try RegistryTransition.register(registration, devicesPerUser: unit.settings.devicesPerUser, in: unit)
        try apply(changes)
        return outcome
    }

    /// Signs out those devices of persons that a revocation covers, and counts them with the revocation.
    func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds
    ) throws(PostgresError) -> Int {
        var keys: Set<UnitOfWork.PersonKey> = []
        for person in persons { keys.insert(try unit.key(person.appID, person.userID)) }
        try unit.load(persons: keys)
        let revoked = RevocationSet.snapshot(of: revocation)
        var count = 0
        for person in persons {
            let (removed, changes) = try RegistryTransition.revoke(revoked, of: person, now: now, in: unit)
            try apply(changes)
            count += removed
        }
        if count > 0 { try unit.session.addRemovedDevices(count, to: revocation.id) }
        return count
    }

    /// Writes the changes of the registry's rules, and stores their events.
    func apply(_ changes: [RegistryTransition.Change]) throws(PostgresError) {
        for change in changes {
            guard let announced = try unit.apply(change), let incoming = announced.incoming(telling: audience, using: &random) else {
                continue
            }
            try announce(incoming)
        }
    }

    /// Stores an event without a comment. Without room in the queue its deliveries end at once.
    func announce(_ incoming: IncomingEvent) throws(PostgresError) {
        let app = try unit.number(incoming.event.identity.appID)
        guard case .success(let rows) = try admitted(try plan(incoming, app), event: incoming.event, app: app) else { return }
        insert(incoming, rows: rows, app: app)
    }

    /// Counts a delivery that the store itself ends.
    func refuse(_ ending: DeliveryEnding, for notifier: String) { refused.append((notifier, ending)) }

    /// The stored event with this identity.
    func duplicate(of identity: Event.Identity, _ app: Int32) -> UUIDv7? {
        guard let key = CommentKey(identity, app) else { return nil }
        if let known = comments[key]?.events.first(where: { $0.device == ByteKey(identity.deviceID) }) { return known.id }
        return past[identity]
    }

    func plan(_ incoming: IncomingEvent, _ app: Int32) throws(PostgresError) -> [DeliveryPlan.Row] {
        let event = incoming.event
        let notified = CommentKey(event.identity, app).flatMap { comments[$0]?.notified } ?? []
        return try DeliveryPlan.rows(event, incoming.subscriptions) { () throws(PostgresError) in
            try DeliveryPlan.candidates(for: event, in: unit)
        } isNotified: { (notifier, device) throws(PostgresError) in
            notified.contains(NotifiedDevice(notifier: ByteKey(notifier), device: ByteKey(device)))
        }
    }

    /// Returns an event's deliveries as they are stored, or the reason why the event is refused.
    func admitted(
        _ rows: [DeliveryPlan.Row], event: Event, app: Int32
    ) throws(PostgresError) -> Result<[DeliveryPlan.Row], StoreError> {
        if depth.isUnread { depth.take(try unit.session.depth()) }
        return unit.settings.bounds.admitted(rows, of: event, total: depth.total) { depth.queue($0, of: app) }
    }

    /// Queues an event with its deliveries to be written.
    func insert(_ incoming: IncomingEvent, rows: [DeliveryPlan.Row], app: Int32) {
        let event = incoming.event
        if let key = CommentKey(event.identity, app) {
            comments[key, default: Siblings()].events.append(Known(id: event.id, device: ByteKey(event.identity.deviceID)))
            for row in rows {
                guard let device = row.deviceID else { continue }
                comments[key]?.notified.insert(NotifiedDevice(notifier: ByteKey(row.subscription.notifier), device: ByteKey(device)))
            }
        }
        guard !rows.isEmpty else { return remember(event.identity, app: app, id: event.id, receivedAt: event.receivedAt) }
        let data = rows.contains { ($0.ending?.state ?? .pending).needsData } ? event.data : Event.emptyData
        if !StoreRules.hasNoReceiver(rows, isErased: incoming.isErased) {
            newEvents.append(NewEvent(event: event, app: app, data: data, rows: rows, isErased: incoming.isErased))
        }
        for row in rows {
            if let ending = row.ending {
                refuse(ending, for: row.subscription.notifier)
            } else {
                depth.add(1, to: row.subscription.notifier, of: app)
            }
        }
    }
}

extension PostgresBatch {
    struct RememberedComment {
        let app: Int32
        let comment: HelpDeskID
        let mark: Int64
        let receivedAt: UnixMilliseconds
        let id: UUIDv7
    }

    /// Stores the identity by which an event's comment is deduplicated; nothing for an event without one.
    func remember(_ identity: Event.Identity, app: Int32, id: UUIDv7, receivedAt: UnixMilliseconds) {
        guard let comment = identity.commentID else { return }
        remembered.append(
            RememberedComment(app: app, comment: comment, mark: StoreRules.mark(of: identity), receivedAt: receivedAt, id: id))
    }
}

extension PostgresBatch.CommentKey {
    /// Returns nil for an event without a comment.
    init?(_ identity: Event.Identity, _ app: Int32) {
        guard let comment = identity.commentID, let ticket = identity.ticketID else { return nil }
        self.init(app: app, comment: comment, ticket: ticket)
    }
}

/// The number of pending deliveries in a transaction: as known before or as read, with its own changes. The app is nil in rows of an
/// earlier version.
final class QueueDepth {
    private var counts: PendingByApp<Int32?>?
    /// The counts that the database returned in this transaction; nil when they were not read.
    private(set) var stored: PendingByApp<Int32?>?
    /// The changes of this transaction that are not written yet.
    private(set) var unwritten = PendingByApp<Int32?>()
    private(set) var changes = PendingByApp<Int32?>()

    /// - Parameter known: the counts of all replicas, if they were read a moment ago.
    init(_ known: PendingByApp<Int32?>?) { counts = known }

    func wrote() { unwritten = PendingByApp() }

    /// Whether the counts must still be read.
    var isUnread: Bool { counts == nil }

    func take(_ stored: PendingByApp<Int32?>) {
        self.stored = stored
        counts = stored
        counts?.add(unwritten)
    }

    /// The number of pending deliveries of all notifiers, once the counts are known.
    var total: Int { counts?.total ?? 0 }

    /// The queue of a notifier for an event of an app, once the counts are known.
    func queue(_ notifier: String, of app: Int32) -> DeliveryBounds.Queue {
        (counts ?? PendingByApp()).queue(notifier, of: app)
    }

    /// Counts deliveries of an app that start or stop waiting.
    func add(_ count: Int, to notifier: String, of app: Int32) {
        let notifier = ByteKey(notifier)
        counts?.add(count, to: notifier, of: app)
        unwritten.add(count, to: notifier, of: app)
        changes.add(count, to: notifier, of: app)
    }
}

/// A process's knowledge of the queue's depth between its transactions.
///
/// It reads the counts once a second, and adds its own changes in between. Changes by other replicas since then are missing, so together
/// they may exceed a limit by the number that they accept in a second.
struct KnownDepth {
    private static let freshMilliseconds: UInt64 = 1000

    private var counts = PendingByApp<Int32?>()
    private var freshUntil: MonotonicMilliseconds = 0

    /// The number of pending deliveries of all notifiers.
    var total: Int { counts.total }

    func fresh(_ now: MonotonicMilliseconds) -> PendingByApp<Int32?>? { now < freshUntil ? counts : nil }

    /// Adds the results and changes of a transaction.
    mutating func note(_ committed: QueueDepth, _ now: MonotonicMilliseconds) {
        if let stored = committed.stored { (counts, freshUntil) = (stored, now + Self.freshMilliseconds) }
        counts.add(committed.changes)
    }
}
