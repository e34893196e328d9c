internal import Core
internal import Time

extension MemoryState {
    mutating func register(_ registration: Registration, _ audience: RegistryAudience, _ rules: MemoryRules) -> Registration.Outcome {
        let (outcome, changes) = RegistryTransition.register(registration, devicesPerUser: rules.devicesPerUser, in: devices)
        apply(changes, audience, rules)
        return outcome
    }

    mutating func removeDevices(
        _ filter: DeviceFilter, _ reason: RegistryChange.Reason = .operatorRemoved, now: UnixMilliseconds, _ audience: RegistryAudience,
        _ rules: MemoryRules
    ) -> Int {
        let (removed, _, changes) = RegistryTransition.remove(filter, reason, now: now, limit: .max, in: devices)
        apply(changes, audience, rules)
        return removed
    }

    mutating func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, _ audience: RegistryAudience, _ rules: MemoryRules
    ) -> Int {
        let idle = devices.idle(seenBefore: seenBefore).prefix(limit)
        for device in idle { apply(RegistryTransition.removeIdle(device, now: now), audience, rules) }
        devices.forgetCalls(recordedBefore: seenBefore)
        return idle.count
    }

    /// Writes the changes that `RegistryTransition` has decided on.
    mutating func apply(_ changes: [RegistryTransition.Change], _ audience: RegistryAudience, _ rules: MemoryRules) {
        for change in changes {
            if let told = devices.apply(change) { announce(told, audience, rules) }
        }
    }

    private mutating func announce(_ change: RegistryChange, _ audience: RegistryAudience, _ rules: MemoryRules) {
        guard let incoming = change.incoming(telling: audience, using: &random),
            case .success(let rows) = admitted(plan(incoming), incoming.event, rules)
        else { return }
        insert(incoming, rows)
    }
}
