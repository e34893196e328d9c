import Configuration
import Core
import HelpDesk
import Time

@testable import Pyrus

enum RegistrationSample {
    static func event(
        user: String = "user", device: String = "device", type: String = "ios", token: String = "push-token",
        at time: UnixMilliseconds = Sample.now,
        kind: Event.Kind = .pushTokenRegistered, data: String? = nil
    ) -> Event {
        let registration = #"{"device_id":"\#(device)","type":"\#(type)","token":"\#(token)"}"#
        return Event(
            id: UUIDv7(milliseconds: time, random: InlineArray(repeating: 0)), kind: kind,
            identity: Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: device), userID: user, occurredAt: time,
            receivedAt: time, expiresAt: time + 3_600_000, data: Array((data ?? registration).utf8))
    }

    /// The device in the registry.
    static func device(_ event: Event, type: String = "ios", token: String = "push-token") -> Device {
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        return Device(key: key, type: type, token: PushToken(token, digest: []), registeredAt: Sample.now, seenAt: Sample.now)
    }

    /// The claimed delivery of an event.
    /// - Parameter device: the device as registered at the time of the claim; nil if it is not registered.
    static func delivery(_ event: Event, _ device: Device?) -> Delivery {
        Delivery(
            id: event.id, notifier: "pyrus", event: event, deviceID: event.identity.deviceID, device: device, dueAt: event.receivedAt)
    }
}
