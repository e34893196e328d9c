internal import JSON

/// The body of an answer of FCM that is no success (Google, "google.rpc.Status").
struct FCMRefusal: Equatable {
    private static let detailType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    /// Why: what FCM says, else the general status; nil when nothing known was said.
    let code: FCMErrorCode?
    /// Whether it says in words that the device's token is none. The code is the same for every fault of a message.
    let blamesToken: Bool

    /// Reads what can be read; what is not JSON says nothing.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        // RuStore's clients read it from the root.
        let error = root?["error"] ?? root
        let detail = error?["details"]?.elements.first { $0["@type"]?.text == Self.detailType }
        code = (detail?["errorCode"] ?? error?["status"])?.text.flatMap { FCMErrorCode(rawValue: $0) }
        let message = error?["message"]?.text?.lowercased() ?? ""
        blamesToken = message.contains("registration token is not a valid")
    }
}
