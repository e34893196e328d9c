internal import Core
internal import JSON
internal import Observability

/// What a receiver is sent of a delivery.
enum EventBody {
    /// What a body has beside the event's data in bytes, about.
    private static let fixedSize = 512

    /// The event's JSON, the same for each try; for a comment that is for a registered device, with that device as the last member of `data`:
    /// `target` with `device_id`, `type` and `token`, the token in clear.
    static func bytes(of delivery: Delivery) -> [UInt8] {
        let event = delivery.event
        var writer = JSONWriter(capacity: fixedSize + event.data.count)
        writer.beginObject()
        writer.add("id", event.id.description)
        writer.add("type", event.kind.rawValue)
        writer.add("occurred_at", WallTime(unixMilliseconds: event.occurredAt).text)
        writer.add("app_id", event.identity.appID)
        writer.add("user_id", event.userID)
        writer.beginObject("data", membersOf: event.data)
        if event.kind == .commentCreated, let device = delivery.device { add(device, to: &writer) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func add(_ device: Device, to writer: inout JSONWriter) {
        writer.beginObject("target")
        writer.add("device_id", device.key.deviceID)
        writer.add("type", device.type)
        writer.add("token", device.token.text)
        writer.endObject()
    }
}
