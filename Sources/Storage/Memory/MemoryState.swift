internal import Core
internal import Time

struct MemoryRules: Sendable {
    let bounds: DeliveryBounds
    let devicesPerUser: Int
}

/// All data of a memory store, with the state transitions of `Store`.
struct MemoryState {
    struct Entry {
        var delivery: Delivery
        let subscription: Subscription
        let place: DeliveryCursor
        var attempts: [DeliveryAttempt] = []
    }

    var devices = MemoryDevices()
    /// The calls that count toward rate limits, for all notifiers.
    var limiter = OutboundRateLimiter()
    /// The order of apps in the claims of each notifier.
    var turns: [ByteKey: AppTurns<ByteKey>] = [:]
    /// Generates the ids of registry events.
    var random: any RandomNumberGenerator & Sendable
    /// The events in the order of their acceptance.
    var events: [Event] = []
    /// Comments whose deliveries were deleted; they are still recognised as duplicates.
    var past: [Event.Identity: (id: UUIDv7, receivedAt: UnixMilliseconds)] = [:]
    var time: TrustedTime?
    var revocations = MemoryRevocations() {
        didSet { devices.revocations = revocations.known.current }
    }
    var keyUses = MemoryKeyUses()
    /// The states of conversations, from the reports of help desks.
    var conversations: [ConversationKey: KnownConversation] = [:]
    var botCalls = MemoryBotCalls()
    var conditions: [OperatorCondition.Key: OperatorCondition] = [:]
    var refused: [ByteKey: [DeliveryEnding: Int]] = [:]
    /// Events whose person must be deleted once no delivery of the event is pending.
    var erased: Set<UUIDv7> = []
    /// The deliveries in the order of their acceptance.
    var entries: [Entry] = []
    /// The number of events that were accepted since the start, including deleted events.
    private var accepted: Int64 = 0

    init(random: any RandomNumberGenerator & Sendable) {
        self.random = random
    }

    var pendingCount: Int {
        entries.count { $0.delivery.state == .pending }
    }

    func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) -> DeliveryPage {
        let found = entries.reversed().lazy.filter { isBefore(after, $0) }.map { (place: $0.place, delivery: self.shown($0)) }.filter {
            filter.matches($0.delivery)
        }
        return DeliveryPage(Array(found.prefix(limit + 1)), limit: limit)
    }

    func isBefore(_ place: DeliveryCursor?, _ entry: Entry) -> Bool {
        place.map { (entry.place.event, entry.place.position) < ($0.event, $0.position) } ?? true
    }

    mutating func accept(
        _ incoming: IncomingEvent, audience: RegistryAudience, rules: MemoryRules
    ) -> Result<Acceptance, StoreError> {
        let event = incoming.event
        if let earlier = events.first(where: { isSameComment($0, event) && $0.identity == event.identity }) {
            return .success(.duplicate(of: earlier.id))
        }
        if event.identity.commentID != nil, let earlier = past[event.identity] { return .success(.duplicate(of: earlier.id)) }
        guard !events.contains(where: { $0.id == event.id }) else { return .failure(.idInUse) }
        if let refusal = Admission.refusal(of: incoming, in: devices) { return refusal }
        apply(RegistryTransition.learn(incoming, devicesPerUser: rules.devicesPerUser, in: devices), audience: audience, rules: rules)
        switch admitted(plan(incoming), event: event, rules: rules) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let rows):
            insert(incoming, rows)
            return .success(.accepted)
        }
    }

    func admitted(_ rows: [DeliveryPlan.Row], event: Event, rules: MemoryRules) -> Result<[DeliveryPlan.Row], StoreError> {
        // Lazy, because the counts are needed only near a limit.
        lazy var pending = pendingByApp
        return rules.bounds.admitted(rows, of: event, total: pendingCount) { pending.queue($0, of: ByteKey(event.identity.appID)) }
    }

    var pendingByApp: PendingByApp<ByteKey> {
        var pending = PendingByApp<ByteKey>()
        for entry in entries where entry.delivery.state == .pending {
            pending.add(1, to: ByteKey(entry.delivery.notifier), of: ByteKey(entry.delivery.event.identity.appID))
        }
        return pending
    }

    func plan(_ incoming: IncomingEvent) -> [DeliveryPlan.Row] {
        DeliveryPlan.rows(incoming.event, incoming.subscriptions) {
            DeliveryPlan.candidates(for: incoming.event, in: devices)
        } isNotified: { notifier, device in
            entries.contains { entry in
                isSameComment(entry.delivery.event, incoming.event) && entry.delivery.notifier.utf8.elementsEqual(notifier.utf8)
                    && entry.delivery.deviceID.map { $0.utf8.elementsEqual(device.utf8) } ?? false
            }
        }
    }

    mutating func insert(_ incoming: IncomingEvent, _ rows: [DeliveryPlan.Row]) {
        let event = incoming.event
        guard !rows.isEmpty else { return remember(event) }
        for row in rows {
            if let ending = row.ending { refused[ByteKey(row.subscription.notifier), default: [:]][ending, default: 0] += 1 }
        }
        guard !StoreRules.hasNoReceiver(rows, isErased: incoming.isErased) else { return }
        events.append(event)
        accepted += 1
        if incoming.isErased { erased.insert(event.id) }
        for (position, row) in rows.enumerated() {
            let delivery = Delivery(
                id: event.id.delivery(position), notifier: row.subscription.notifier,
                event: event.expiring(at: row.expiresAt(of: event)), deviceID: row.deviceID, dueAt: row.dueAt(of: event))
            let ended = row.ending.map { delivery.ended($0.state, at: event.receivedAt, reason: $0.reason) }
            let place = DeliveryCursor(event: accepted, position: Int64(position))
            entries.append(Entry(delivery: ended ?? delivery, subscription: row.subscription, place: place))
        }
        dropDataIfUnneeded(event.id)
    }

    /// Stores a comment's identity for the detection of duplicates.
    mutating func remember(_ event: Event) {
        if event.identity.commentID != nil { past[event.identity] = (event.id, event.receivedAt) }
    }

    /// Deletes an event's data unless one of its deliveries needs them.
    mutating func dropDataIfUnneeded(_ id: UUIDv7) {
        guard !entries.contains(where: { $0.delivery.event.id == id && $0.delivery.state.needsData }) else { return }
        events = events.map { $0.id == id ? $0.withoutData() : $0 }
        for index in entries.indices where entries[index].delivery.event.id == id {
            entries[index].delivery = entries[index].delivery.withoutData()
        }
    }

    private func isSameComment(_ left: Event, _ right: Event) -> Bool {
        left.identity.commentID != nil && left.identity.commentID == right.identity.commentID
            && left.identity.ticketID == right.identity.ticketID && left.identity.appID.utf8.elementsEqual(right.identity.appID.utf8)
    }

    /// Returns the delivery of an entry, with the current record of its device.
    func shown(_ entry: Entry) -> Delivery {
        let (delivery, event) = (entry.delivery, entry.delivery.event)
        let device = delivery.deviceID.flatMap {
            devices.device(Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: $0))?.device
        }
        return Delivery(
            id: delivery.id, notifier: delivery.notifier, event: event, deviceID: delivery.deviceID, device: device, state: delivery.state,
            attempts: delivery.attempts, dueAt: delivery.dueAt, endedAt: delivery.endedAt, reason: delivery.reason)
    }

    /// Whether a delivery is for a device that is not registered.
    func lacksDevice(_ entry: Entry) -> Bool { entry.subscription.requiresDevice && shown(entry).device == nil }

    mutating func finish(_ result: FinishedAttempt, audience: RegistryAudience, rules: MemoryRules) {
        guard let index = entries.firstIndex(where: { $0.delivery.id == result.id }) else { return }
        guard record(result, in: &entries[index].attempts) else { return }
        if let tried = result.device, let update = result.update {
            apply(RegistryTransition.learn(update, of: tried, now: result.now, in: devices), audience: audience, rules: rules)
        }
        let delivery = entries[index].delivery
        guard delivery.state == .pending, delivery.attempts == result.attempt else { return }
        if let call = result.uncountedCall { limiter.giveBack(call, notifier: delivery.notifier) }
        switch result.next {
        case .delivered: end(index, .delivered, at: result.now, reason: result.reason)
        case .dead: end(index, .dead, at: result.now, reason: result.reason)
        case .givenUp(let ending): end(index, .dead, at: result.now, reason: ending.rawValue)
        case .retry(let time): entries[index].delivery = delivery.retried(at: time, reason: result.reason)
        }
    }

    mutating func releaseLeases() {
        turns = [:]
        for index in entries.indices where entries[index].delivery.state == .pending {
            guard let last = entries[index].attempts.last, last.outcome.isEmpty else { continue }
            let number = entries[index].attempts.count - 1
            entries[index].attempts[number] = DeliveryAttempt(
                number: last.number, startedAt: last.startedAt, endedAt: nil, outcome: StoreRules.interrupted,
                reason: StoreRules.interrupted)
            entries[index].delivery = entries[index].delivery.retried(at: last.startedAt, reason: StoreRules.interrupted)
        }
    }

    func pending() -> [PendingDeliveries] {
        let pending = entries.indices.filter { entries[$0].delivery.state == .pending }
        let groups = Dictionary(grouping: pending) { ByteKey(entries[$0].delivery.notifier) }
        return groups.sorted { $0.key < $1.key }.map { name, indices in
            let first = indices.min { expiresFirst($0, $1) } ?? indices[0]
            return PendingDeliveries(
                notifier: name.text, count: indices.count, oldestReceivedAt: entries[first].delivery.event.receivedAt)
        }
    }

    func dead() -> DeadCounts {
        let dead = entries.map(\.delivery).filter { $0.state == .dead }
        let groups = Dictionary(grouping: dead) { [ByteKey($0.notifier), ByteKey($0.event.identity.appID), ByteKey($0.reason)] }
        let counts = groups.values.map { deliveries in
            DeadDeliveries(
                notifier: deliveries[0].notifier, appID: deliveries[0].event.identity.appID, reason: deliveries[0].reason,
                count: deliveries.count, oldestReceivedAt: deliveries[0].event.receivedAt,
                newestReceivedAt: deliveries[deliveries.count - 1].event.receivedAt, newestEndedAt: deliveries.compactMap(\.endedAt).max())
        }
        return DeadCounts(counts, endedBy: dead.compactMap { $0.endedAt?.stored }.max())
    }

    /// Returns the pending deliveries of a notifier, without deliveries that wait for an earlier one in their order.
    func waiting(for notifier: String) -> [Int] {
        var leaders: Set<OrderKey> = []
        return entries.indices.filter { index in
            let entry = entries[index]
            guard entry.delivery.state == .pending, entry.delivery.notifier.utf8.elementsEqual(notifier.utf8) else { return false }
            return !entry.subscription.keepsOrder || leaders.insert(OrderKey(entry.delivery)).inserted
        }
    }

    mutating func end(_ index: Int, _ state: Delivery.State, at time: UnixMilliseconds, reason: String) {
        entries[index].delivery = entries[index].delivery.ended(state, at: time, reason: reason)
        dropDataIfUnneeded(entries[index].delivery.event.id)
        dropPersonIfReported(entries[index].delivery.event.id)
    }

    /// Records the outcome of an attempt. Returns false when the attempt is unknown or already has an outcome.
    private func record(_ result: FinishedAttempt, in attempts: inout [DeliveryAttempt]) -> Bool {
        guard let index = attempts.firstIndex(where: { $0.number == result.attempt && $0.endedAt == nil }) else { return false }
        attempts[index] = DeliveryAttempt(
            number: result.attempt, startedAt: attempts[index].startedAt, endedAt: result.now, outcome: result.next.outcome,
            reason: result.reason)
        return true
    }
}

/// The key within which a notifier makes deliveries in order.
private struct OrderKey: Hashable {
    let appID: ByteKey
    let number: Int64

    init(_ delivery: Delivery) {
        appID = ByteKey(delivery.event.identity.appID)
        number = StoreRules.orderNumber(delivery.event)
    }
}
