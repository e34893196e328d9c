internal import JSON

/// The body of an answer of FCM that is no success (Google, "google.rpc.Status").
struct FCMRefusal: Equatable {
    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let requestType = "type.googleapis.com/google.rpc.BadRequest"

    /// Why: what FCM says, else the general status; nil when nothing known was said.
    let code: FCMErrorCode?
    /// Whether it names the device's token as the field that is wrong. The code is the same for every fault of a message.
    let blamesToken: Bool

    /// Reads what can be read; what is not JSON says nothing.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        // RuStore's clients read it from the root.
        let error = root?["error"] ?? root
        let details = error?["details"]?.elements ?? []
        let detail = details.first { $0["@type"]?.text == Self.errorType }
        code = (detail?["errorCode"] ?? error?["status"])?.text.flatMap { FCMErrorCode(rawValue: $0) }
        blamesToken = details.contains { detail in
            detail["@type"]?.text == Self.requestType
                && detail["fieldViolations"]?.elements.contains { $0["field"]?.text == "message.token" } == true
        }
    }
}
