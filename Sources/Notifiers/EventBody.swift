internal import Core
internal import JSON

/// What a receiver is sent of a delivery.
enum EventBody {
    /// The event's JSON; for a comment that is for a registered device, with that device as the last member of `data`: `target` with
    /// `device_id`, `type` and `token`, the token in clear.
    static func bytes(of delivery: Delivery) -> [UInt8] {
        let payload = delivery.event.payload
        guard delivery.event.kind == .commentCreated, let device = delivery.device else { return payload }
        let target: JSONValue = [
            "device_id": .string(device.key.deviceID), "type": .string(device.type), "token": .string(device.token.text),
        ]
        precondition(payload.suffix(2).elementsEqual("}}".utf8), "an event ends with its data")
        var body = Array(payload.dropLast(2))
        body += Array(",\"target\":".utf8) + target.serialized() + Array("}}".utf8)
        return body
    }
}
