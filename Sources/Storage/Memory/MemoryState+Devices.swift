internal import Core

extension MemoryState {
    mutating func register(_ wish: Registration, _ rules: MemoryRules) -> Result<Registration.Outcome, StoreError> {
        guard let token = wish.token else { return .success(unsubscribe(wish, rules)) }
        if let limited = devices.limit(wish) { return .success(limited) }
        if let device = devices.device(wish.key), device.token == token, device.type.utf8.elementsEqual(wish.type.utf8) {
            devices.record(wish)
            devices.touch(wish.key, at: wish.now)
            return .success(.unchanged)
        }
        devices.record(wish)
        store(Device(key: wish.key, type: wish.type, token: token, registeredAt: wish.now, seenAt: wish.now), isFromApp: true, rules)
        return .success(.registered)
    }

    mutating func removeDevices(_ filter: DeviceFilter, now: UInt64, _ rules: MemoryRules) -> Int {
        let entries = devices.entries(filter)
        for entry in entries {
            remove(entry, .operatorRemoved, at: now, rules)
            devices.forget(entry.device.key)
            devices.forgetCalls(.device, entry.device.key)
        }
        if let userID = filter.userID, filter.deviceID == nil {
            devices.forgetCalls(.user, Device.Key(appID: filter.appID, userID: userID, deviceID: ""))
        }
        return entries.count { !$0.hasSignedOut }
    }

    mutating func removeIdleDevices(seenBefore: UInt64, now: UInt64, limit: Int, _ rules: MemoryRules) -> Int {
        let entries = devices.idle(seenBefore: seenBefore).prefix(limit)
        for entry in entries {
            remove(entry, .idle, at: now, rules)
            devices.forget(entry.device.key)
        }
        devices.forgetCalls(notedBefore: seenBefore)
        return entries.count
    }

    /// Changes the registry as a provider says.
    mutating func takeIn(_ result: FinishedTry, _ rules: MemoryRules) {
        guard let tried = result.device, let news = result.news, var entry = devices.entry(tried.key), !entry.hasSignedOut else { return }
        switch news {
        case .environment(let name):
            guard entry.device.token == tried.token else { return }
            entry.device = entry.device.taken(by: name)
            devices.put(entry)
        case .gone(let since):
            if StoreRules.leaves(entry.device, goneSince: since, tried: tried) { remove(entry, .gone, at: result.now, rules) }
        }
    }

    /// Registers the device of a token that came with a webhook, but never against what an app itself has said of the device, or of the one that
    /// has the token: the help desk may know an older token, person or sign-in. No device that an app has told of leaves for it.
    mutating func learn(_ arrival: Arrival, _ rules: MemoryRules) {
        let event = arrival.event
        guard let token = arrival.token, !event.identity.deviceID.isEmpty else { return }
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        let entry = devices.entry(key)
        if let entry, entry.isFromApp || entry.device.token == token { return }
        if let holder = devices.holder(of: token, appID: key.appID), holder.isFromApp { return }
        if entry == nil, leaving(for: key, isFromApp: false, rules) == nil { return }
        let type = StoreRules.learnedType(event, known: entry?.device.type)
        let device = Device(key: key, type: type, token: token, registeredAt: event.receivedAt, seenAt: event.receivedAt)
        store(device, isFromApp: false, rules)
    }

    /// The devices that a comment is for.
    func candidates(_ event: Event) -> [DeliveryPlan.Candidate] {
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        if let entry = devices.entry(key), !key.deviceID.isEmpty {
            return entry.hasSignedOut ? [] : [DeliveryPlan.Candidate(deviceID: key.deviceID, type: entry.device.type)]
        }
        return devices.entries(appID: key.appID, userID: key.userID).filter { !$0.hasSignedOut }
            .map { DeliveryPlan.Candidate(deviceID: $0.device.key.deviceID, type: $0.device.type) }
    }

    private mutating func unsubscribe(_ wish: Registration, _ rules: MemoryRules) -> Registration.Outcome {
        guard let entry = devices.entry(wish.key) else {
            let known = devices.entries(appID: wish.key.appID, userID: wish.key.userID).count
            guard StoreRules.remembersUnknown(known: known, devicesPerUser: rules.devicesPerUser) else { return .unchanged }
            let nothing = Device(
                key: wish.key, type: wish.type, token: PushToken("", digest: []), registeredAt: wish.now, seenAt: wish.now)
            devices.put(MemoryDevices.Entry(device: nothing, hasSignedOut: true, isFromApp: true))
            return .unchanged
        }
        guard !entry.hasSignedOut else {
            if StoreRules.notesSignOut(seenAt: entry.device.seenAt, isFromApp: entry.isFromApp, now: wish.now) {
                devices.touch(wish.key, at: wish.now)
            }
            return .unchanged
        }
        remove(entry, .unsubscribed, at: wish.now, rules)
        return .removed
    }

    private mutating func store(_ device: Device, isFromApp: Bool, _ rules: MemoryRules) {
        if let holder = devices.holder(of: device.token, appID: device.key.appID), holder.device.key != device.key {
            remove(holder, .moved, at: device.registeredAt, rules)
        }
        if devices.entry(device.key) == nil { makeRoom(for: device.key, at: device.registeredAt, isFromApp: isFromApp, rules) }
        devices.put(MemoryDevices.Entry(device: device, isFromApp: isFromApp))
        announce(RegistryChange(.registered, device, at: device.registeredAt), rules)
    }

    private mutating func makeRoom(for key: Device.Key, at time: UInt64, isFromApp: Bool, _ rules: MemoryRules) {
        for entry in leaving(for: key, isFromApp: isFromApp, rules) ?? [] {
            remove(entry, .tooManyDevices, at: time, rules)
            devices.forget(entry.device.key)
        }
    }

    /// Who leaves for one device more: first those that signed out, then those not seen for longest; nil when there are not enough.
    private func leaving(for key: Device.Key, isFromApp: Bool, _ rules: MemoryRules) -> ArraySlice<MemoryDevices.Entry>? {
        let entries = devices.entries(appID: key.appID, userID: key.userID)
        let count = entries.count - rules.devicesPerUser + 1
        guard count > 0 else { return [] }
        let order = entries.filter { isFromApp || !$0.isFromApp }
            .sorted { StoreRules.leavesFirst(($0.hasSignedOut, $0.device.seenAt), ($1.hasSignedOut, $1.device.seenAt)) }
        return order.count < count ? nil : order.prefix(count)
    }

    private mutating func remove(_ entry: MemoryDevices.Entry, _ reason: RegistryChange.Reason, at time: UInt64, _ rules: MemoryRules) {
        guard !entry.hasSignedOut else { return }
        devices.signOut(entry, isFromApp: StoreRules.isFromApp(entry.isFromApp, after: reason), at: time)
        announce(RegistryChange(.removed(reason), entry.device, at: time), rules)
    }

    private mutating func announce(_ change: RegistryChange, _ rules: MemoryRules) {
        guard let arrival = rules.announcer(change), !arrival.subscriptions.isEmpty,
            let rows = admitted(plan(arrival), arrival.event, rules)
        else { return }
        insert(arrival.event, rows)
    }
}
