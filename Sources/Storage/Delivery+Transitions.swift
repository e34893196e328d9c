internal import Core
internal import Time

extension Delivery {
    /// Returns the delivery with one more attempt, leased until `leaseEnd`.
    func claimed(until leaseEnd: UnixMilliseconds) -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event, deviceID: deviceID, device: device, attempts: attempts + 1, dueAt: leaseEnd,
            reason: reason)
    }

    /// Returns the delivery, due again at `dueAt`.
    func retried(at dueAt: UnixMilliseconds, reason: String) -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event, deviceID: deviceID, device: device, attempts: attempts, dueAt: dueAt, reason: reason)
    }

    func ended(_ state: State, at time: UnixMilliseconds, reason: String) -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event, deviceID: deviceID, device: device, state: state, attempts: attempts, dueAt: dueAt,
            endedAt: time, reason: reason)
    }

    /// Returns the delivery, pending again and due now.
    func revived(at now: UnixMilliseconds, expiresAt: UnixMilliseconds) -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event.expiring(at: expiresAt), deviceID: deviceID, device: device, attempts: attempts,
            dueAt: now, reason: reason)
    }

    /// Returns the delivery with a new expiry time.
    func expiring(at expiresAt: UnixMilliseconds) -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event.expiring(at: expiresAt), deviceID: deviceID, device: device, state: state,
            attempts: attempts, dueAt: dueAt, endedAt: endedAt, reason: reason)
    }

    /// Returns the delivery without the person and the device.
    func withoutPerson() -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event.withoutPerson(), state: state, attempts: attempts, dueAt: dueAt, endedAt: endedAt,
            reason: reason)
    }

    func withoutData() -> Delivery {
        Delivery(
            id: id, notifier: notifier, event: event.withoutData(), deviceID: deviceID, device: device, state: state, attempts: attempts,
            dueAt: dueAt, endedAt: endedAt, reason: reason)
    }
}

extension Event {
    func withoutData() -> Event {
        Event(
            id: id, kind: kind, identity: identity, userID: userID, deviceType: deviceType, occurredAt: occurredAt, receivedAt: receivedAt,
            expiresAt: expiresAt, data: Event.emptyData, trace: trace)
    }

    func expiring(at expiresAt: UnixMilliseconds) -> Event {
        Event(
            id: id, kind: kind, identity: identity, userID: userID, deviceType: deviceType, occurredAt: occurredAt, receivedAt: receivedAt,
            expiresAt: expiresAt, data: data, trace: trace)
    }
}
