internal import Core
internal import Time

extension MemoryState {
    mutating func revoke(
        _ revocation: Revocation, of person: AppUser?, incoming: IncomingEvent?, audience: RegistryAudience, rules: MemoryRules
    ) -> Int {
        revocations.add(revocation)
        if let incoming { announce(incoming, rules) }
        return signOut(person.map { [$0] } ?? [], coveredBy: revocation, now: revocation.createdAt, audience: audience, rules: rules)
    }

    mutating func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, _ audience: RegistryAudience, _ rules: MemoryRules
    ) -> Int {
        guard !revocation.namesPerson else { return 0 }
        let users = Set(devices.devices(DeviceFilter(appID: revocation.appID)).map { ByteKey($0.key.userID) })
        let persons = users.sorted().map { AppUser(appID: revocation.appID, userID: $0.text) }
        return signOut(persons, coveredBy: revocation, now: now, audience: audience, rules: rules)
    }

    private mutating func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds, audience: RegistryAudience,
        rules: MemoryRules
    ) -> Int {
        let revoked = RevocationSet.snapshot(of: revocation)
        var count = 0
        for person in persons {
            let (removed, changes) = RegistryTransition.revoke(revoked, of: person, now: now, in: devices)
            apply(changes, audience: audience, rules: rules)
            count += removed
        }
        revocations.note(devices: count, removedBy: revocation.id)
        return count
    }

    /// Stores an event that belongs to no comment. If the queue is full, its deliveries end immediately.
    mutating func announce(_ incoming: IncomingEvent, _ rules: MemoryRules) {
        guard case .success(let rows) = admitted(plan(incoming), event: incoming.event, rules: rules) else { return }
        insert(incoming, rows)
    }

    mutating func erase(
        _ person: AppUser, now: UnixMilliseconds, audience: RegistryAudience, rules: MemoryRules
    ) -> Erasure {
        var erasure = Erasure()
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        erasure.devices = removeDevices(filter, reason: .forgotten, now: now, audience: audience, rules: rules)
        let gone = events.filter { isAbout(person, $0) && !erased.contains($0.id) }
        erasure.events = gone.count
        let ids = Set(gone.map(\.id))
        for entry in entries where ids.contains(entry.delivery.event.id) {
            erasure.deliveries += 1
            if entry.delivery.state == .pending { erasure.pending[ByteKey(entry.delivery.notifier), default: 0] += 1 }
        }
        entries.removeAll { ids.contains($0.delivery.event.id) }
        events.removeAll { ids.contains($0.id) }
        for event in gone { remember(event) }
        forgetConversations(of: person)
        erasure.botCalls = botCalls.erase(person)
        return erasure
    }

    func proveErasure(of person: AppUser) -> ErasureProof {
        let waiting = entries.map(\.delivery).filter {
            $0.state == .pending && erased.contains($0.event.id) && isAbout(person, $0.event)
        }
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        return ErasureProof(
            tables: [
                ErasureProof.Table(name: "events", rows: events.count { isAbout(person, $0) && !erased.contains($0.id) }),
                ErasureProof.Table(name: "devices", rows: devices.devices(filter).count),
                ErasureProof.Table(name: "topics", rows: conversations.count { isAbout(person, $0) }),
                ErasureProof.Table(name: "bot_calls", rows: botCalls.count(of: person)),
                ErasureProof.Table(name: "revocations", rows: revocations.list(.person(person), after: nil, limit: .max).count),
            ], waiting: Erasure.Deliveries.list(Dictionary(grouping: waiting) { ByteKey($0.notifier) }.mapValues(\.count)))
    }

    /// Deletes the person and the device of an event that must be erased, unless one of its deliveries is pending.
    mutating func dropPersonIfReported(_ id: UUIDv7) {
        guard erased.contains(id), !entries.contains(where: { $0.delivery.event.id == id && $0.delivery.state == .pending }) else { return }
        events = events.map { $0.id == id ? $0.withoutPerson() : $0 }
        for index in entries.indices where entries[index].delivery.event.id == id {
            entries[index].delivery = entries[index].delivery.withoutPerson()
        }
    }

    private func isAbout(_ person: AppUser, _ known: (key: ConversationKey, value: KnownConversation)) -> Bool {
        known.key.appID == ByteKey(person.appID) && ByteKey(known.value.conversation.userID) == ByteKey(person.userID)
    }

    private func isAbout(_ person: AppUser, _ event: Event) -> Bool {
        event.identity.appID.utf8.elementsEqual(person.appID.utf8) && event.userID.utf8.elementsEqual(person.userID.utf8)
    }
}
