internal import Core
internal import Crypto
internal import HTTPServer
internal import JSON

/// A device's call as it arrived. Who calls is read at once and verified before anything else is looked at.
struct PushTokenRequest {
    /// The longest device id, in UTF-16 code units.
    static let longestDeviceID = 255

    let appID: String
    let userID: String
    let securityKey: String
    private let fields: PushTokenFields

    /// Reads a body, JSON or form.
    init(_ request: borrowing Request) throws(PushTokenMistake) {
        fields =
            switch BodyFormat(of: request) {
            case .json: try request.withBody { body throws(PushTokenMistake) in try PushTokenFields(json: body) }
            case .form: try request.withMutableBody { body throws(PushTokenMistake) in try PushTokenFields(form: &body) }
            }
        appID = try fields.credential(.appID)
        userID = try fields.credential(.userID)
        securityKey = try fields.credential(.securityKey)
    }

    /// The device, not empty, which the software kit of the help desk calls `instance_id`.
    func deviceID() throws(PushTokenMistake) -> String {
        let instance = try fields.text("instance_id", longest: Self.longestDeviceID)
        let device = try fields.text("device_id", longest: Self.longestDeviceID)
        guard let id = instance ?? device else {
            throw .unexpected(field: "instance_id", expectation: "it is missing; give the device in instance_id or device_id")
        }
        if let device, !device.utf8.elementsEqual(id.utf8) {
            throw .unexpected(field: "device_id", expectation: "the same as instance_id, or nothing")
        }
        return id
    }

    /// What kind of device it is, in the app's own words; empty when it said nothing.
    func type() throws(PushTokenMistake) -> String {
        try fields.text("type", longest: Device.longestType) ?? ""
    }

    /// Its token; nil unsubscribes it.
    func token() throws(PushTokenMistake) -> PushToken? {
        guard let text = try fields.text("token", longest: PushToken.longest) else { return nil }
        do throws(CryptoError) {
            return try PushToken(text)
        } catch {
            throw .failed(error)
        }
    }
}
