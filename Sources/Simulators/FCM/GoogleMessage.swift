internal import HTTP2Server
internal import JSON

/// A message of FCM's HTTP v1 API, whose format RuStore also uses.
struct GoogleMessage {
    private static let payloadLimit = 4096
    private static let reservedKeys = ["from", "gcm", "message_type"]

    let provider: SimulatedProvider
    let project: String
    let devices: DeviceRegistry

    static func tokens(_ body: [UInt8]) -> [String] {
        (JSONValue(parsing: body)?["message"]?["token"]?.text).map { [$0] } ?? []
    }

    func answer(_ request: HTTP2Request) -> SimulatorAnswer {
        guard let payload = JSONValue(parsing: request.body), let message = payload["message"], message.isObject else {
            return GoogleError.answer(400, code: nil, "Invalid JSON payload received.", field: "message")
        }
        if let field = wrongField(message) {
            return GoogleError.answer(400, code: nil, "Invalid value at '\(field)'", field: field)
        }
        guard let token = message["token"]?.text, !token.isEmpty else {
            return GoogleError.answer(400, code: "INVALID_ARGUMENT", "Recipient of the message is not set.")
        }
        guard size(message) <= Self.payloadLimit else {
            return GoogleError.answer(400, code: "INVALID_ARGUMENT", "Android message is too big")
        }
        if let refusal = refusal(of: token) { return refusal }
        let id = "projects/\(project)/messages/\(RandomText.hexadecimal(bytes: 8))"
        let push = push(token, id: id, message: message, payload: payload, request: request)
        return SimulatorAnswer(status: 200, json: ["name": .string(id)], push: push)
    }

    private func push(
        _ token: String, id: String, message: JSONValue, payload: JSONValue, request: HTTP2Request
    ) -> SimulatedPush {
        // The Android notification overrides the common one; a message without a notification is shown by the app, from its data.
        let places = [message["android"]?["notification"], message["notification"], message["data"]]
        func shown(_ key: String) -> String { places.lazy.compactMap { $0?[key]?.text }.first ?? "" }
        return SimulatedPush(
            provider: provider, token: token, id: id, title: shown("title"), body: shown("body"), headers: request.recordableHeaders,
            payload: payload, isDryRun: payload["validate_only"] == .bool(true))
    }

    private func wrongField(_ message: JSONValue) -> String? {
        if case .object(let data)? = message["data"] {
            for member in data.members where member.value.text == nil { return "message.data[\(member.key)]" }
            for member in data.members where Self.reservedKeys.contains(member.key) || member.key.hasPrefix("google") {
                return "message.data[\(member.key)]"
            }
        } else if message["data"] != nil {
            return "message.data"
        }
        if let ttl = message["android"]?["ttl"], !isDuration(ttl) { return "message.android.ttl" }
        if let priority = message["android"]?["priority"], !["HIGH", "NORMAL", "high", "normal"].contains(priority.text ?? "") {
            return "message.android.priority"
        }
        return message["apns"].flatMap(wrongField(ofApple:))
    }

    /// Checks the block for Apple's devices, which FCM forwards to APNs: a background push must have Apple's form.
    private func wrongField(ofApple apns: JSONValue) -> String? {
        guard apns["headers"]?["apns-push-type"] == "background" else { return nil }
        guard apns["headers"]?["apns-priority"] == "5" else { return "message.apns.headers[apns-priority]" }
        return apns["payload"]?["aps"].map(APNsRules.isSilent) == true ? nil : "message.apns.payload.aps"
    }

    private func isDuration(_ value: JSONValue) -> Bool {
        guard let text = value.text, text.hasSuffix("s") else { return false }
        return Double(text.dropLast()).map { (0...2_419_200).contains($0) } ?? false
    }

    private func size(_ message: JSONValue) -> Int {
        [message["data"], message["notification"], message["android"]].reduce(0) { $0 + ($1?.serialized().count ?? 0) }
    }

    private func refusal(of token: String) -> SimulatorAnswer? {
        let refusal = devices.refusal(of: token, by: provider)
        // RuStore gives the same answer for all of them.
        if provider == .rustore, refusal != nil { return GoogleError.answer(404, code: nil, "Requested entity was not found.") }
        return switch refusal {
        case .unregistered: GoogleError.answer(404, code: "UNREGISTERED", "Requested entity was not found.")
        case .mismatch: GoogleError.answer(403, code: "SENDER_ID_MISMATCH", "SenderId mismatch")
        case .invalid:
            GoogleError.answer(400, code: "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token")
        case nil: nil
        }
    }
}

/// Errors in the format of Google's APIs: a gRPC status, with FCM's own code among the details.
struct GoogleError {
    /// The type of the details that contain FCM's own code; Google's generic errors lack them.
    static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    private static let statuses: [Int: String] = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL", 503: "UNAVAILABLE",
    ]

    /// - Parameters:
    ///   - code: FCM's own code, such as `UNREGISTERED`; nil for none.
    ///   - field: the invalid field, if there is one.
    static func answer(_ status: Int, code: String?, _ message: String, field: String? = nil) -> SimulatorAnswer {
        var error: JSONObject = [
            "code": .integer(Int64(status)), "message": .string(message), "status": .string(statuses[status] ?? "UNKNOWN"),
        ]
        var details: [JSONValue] = []
        if let code { details.append(["@type": .string(errorType), "errorCode": .string(code)]) }
        if let field {
            let violation: JSONValue = ["field": .string(field), "description": .string(message)]
            details.append(["@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]])
        }
        if !details.isEmpty { error.append(.array(details), forKey: "details") }
        return SimulatorAnswer(status: status, json: ["error": .object(error)])
    }

    /// Makes the error for a fault. Generic gRPC statuses carry no FCM code.
    static func answer(_ fault: Fault.Answer) -> SimulatorAnswer {
        let isOfTheFront = fault.reason == "UNAUTHENTICATED" || fault.reason == "NOT_FOUND" || fault.reason == "PERMISSION_DENIED"
        var answer = Self.answer(fault.status, code: isOfTheFront || fault.reason.isEmpty ? nil : fault.reason, "a simulated fault")
        if let retryAfter = fault.retryAfter { answer.headers.append(("retry-after", retryAfter)) }
        return answer
    }
}
