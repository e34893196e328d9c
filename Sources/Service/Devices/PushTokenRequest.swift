internal import Core
internal import HTTPServer
internal import JSON

/// A device's call as it arrived, its fields in the public grammar, its key not verified yet.
struct PushTokenRequest: Sendable {
    /// The longest device id, in UTF-16 code units.
    static let longestDeviceID = 255
    /// The longest type, in UTF-16 code units.
    static let longestType = 32

    let appID: String
    let userID: String
    let securityKey: String
    /// Not empty.
    let deviceID: String
    /// In the app's own words; empty when it said nothing.
    let type: String
    /// Nil unsubscribes the device.
    let token: String?

    /// Reads a body, JSON or form. The software kit of the help desk calls the device `instance_id`.
    init(_ request: borrowing Request) throws(PushTokenMistake) {
        let fields =
            switch BodyFormat(of: request) {
            case .json: try request.withBody { body throws(PushTokenMistake) in try PushTokenFields(json: body) }
            case .form: try request.withMutableBody { body throws(PushTokenMistake) in try PushTokenFields(form: &body) }
            }
        appID = try fields.credential(.appID)
        userID = try fields.credential(.userID)
        securityKey = try fields.credential(.securityKey)
        deviceID = try Self.deviceID(fields)
        type = try fields.text("type", longest: Self.longestType) ?? ""
        token = try fields.text("token", longest: PushToken.longest)
    }

    private static func deviceID(_ fields: PushTokenFields) throws(PushTokenMistake) -> String {
        let instance = try fields.text("instance_id", longest: longestDeviceID)
        let device = try fields.text("device_id", longest: longestDeviceID)
        guard let id = instance ?? device else {
            throw .unexpected(field: "instance_id", expectation: "it is missing; give the device in instance_id or device_id")
        }
        guard device.map({ $0.utf8.elementsEqual(id.utf8) }) ?? true else {
            throw .unexpected(field: "device_id", expectation: "the same as instance_id, or nothing")
        }
        return id
    }
}
