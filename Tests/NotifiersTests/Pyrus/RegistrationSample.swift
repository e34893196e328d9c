import Core

/// Events of the registry.
enum RegistrationSample {
    static func event(
        user: String = "user", device: String = "device", at time: UInt64 = Sample.now, kind: Event.Kind = .pushTokenRegistered,
        data: String? = nil
    ) -> Event {
        let registration = #"{"device_id":"\#(device)","type":"ios","token":"push-token"}"#
        return Event(
            id: UUIDv7(milliseconds: time, random: InlineArray(repeating: 0)), kind: kind,
            identity: Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: device), userID: user, occurredAt: time,
            receivedAt: time, expiresAt: time + 3_600_000, data: Array((data ?? registration).utf8))
    }

    static func delivery(_ event: Event) -> Delivery {
        Delivery(id: event.id, notifier: "pyrus", event: event, dueAt: event.receivedAt)
    }
}
