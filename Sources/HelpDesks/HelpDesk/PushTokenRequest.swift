internal import Core
internal import HTTPServer

/// The registration call of a device.
struct PushTokenRequest {
    static let reader = BodyReader<7>(wanting: ["app_id", "user_id", "security_key", "instance_id", "device_id", "type", "token"])

    /// The longest device id, in UTF-16 code units.
    private static let longestDeviceID = 255

    /// The device; the help desk's SDK calls the id `instance_id`.
    let key: Device.Key
    /// The device type, in the app's own words; empty when the call has none.
    let type: String
    /// Its push token, not empty; nil unsubscribes the device.
    let token: String?

    /// Reads the fields of a call whose credentials have been verified.
    /// - Parameter bytes: the bytes that were lent with the fields.
    init(_ fields: borrowing BodyFields<7>, in bytes: Span<UInt8>) throws(BodyError) {
        let instance = try fields.text("instance_id", in: bytes, longest: Self.longestDeviceID)
        let device = try fields.text("device_id", in: bytes, longest: Self.longestDeviceID)
        guard let id = instance ?? device else {
            throw .unexpected(field: "instance_id", expectation: "it is missing; give the device in instance_id or device_id")
        }
        if let device, !device.utf8.elementsEqual(id.utf8) {
            throw .unexpected(field: "device_id", expectation: "the same as instance_id, or nothing")
        }
        let (appID, userID, _) = try fields.credentials()
        key = Device.Key(appID: String(bytes.extracting(appID)), userID: String(bytes.extracting(userID)), deviceID: id)
        type = try fields.text("type", in: bytes, longest: Device.longestType) ?? ""
        token = try fields.text("token", in: bytes, longest: PushToken.longest)
    }
}
