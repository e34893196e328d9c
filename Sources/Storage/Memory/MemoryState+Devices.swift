internal import Core
internal import Time

extension MemoryState {
    mutating func register(_ registration: Registration, audience: RegistryAudience, rules: MemoryRules) -> Registration.Outcome {
        let (outcome, changes) = RegistryTransition.register(registration, devicesPerUser: rules.devicesPerUser, in: devices)
        apply(changes, audience: audience, rules: rules)
        return outcome
    }

    mutating func removeDevices(
        _ filter: DeviceFilter, reason: RegistryChange.Reason = .operatorRemoved, now: UnixMilliseconds, audience: RegistryAudience,
        rules: MemoryRules
    ) -> Int {
        let (removed, _, changes) = RegistryTransition.remove(filter, reason, now: now, limit: .max, in: devices)
        apply(changes, audience: audience, rules: rules)
        return removed
    }

    mutating func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, _ audience: RegistryAudience, _ rules: MemoryRules
    ) -> Int {
        let idle = devices.idle(seenBefore: seenBefore).prefix(limit)
        for device in idle { apply(RegistryTransition.removeIdle(device, now: now), audience: audience, rules: rules) }
        devices.forgetCalls(recordedBefore: seenBefore)
        return idle.count
    }

    /// Applies changes of a `RegistryTransition`.
    mutating func apply(_ changes: [RegistryTransition.Change], audience: RegistryAudience, rules: MemoryRules) {
        for change in changes {
            if let reported = devices.apply(change) { announce(reported, audience: audience, rules: rules) }
        }
    }

    private mutating func announce(_ change: RegistryChange, audience: RegistryAudience, rules: MemoryRules) {
        guard let incoming = change.incoming(telling: audience, using: &random),
            case .success(let rows) = admitted(plan(incoming), event: incoming.event, rules: rules)
        else { return }
        insert(incoming, rows)
    }
}
