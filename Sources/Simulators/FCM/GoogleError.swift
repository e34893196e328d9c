internal import JSON

/// Errors as Google's interfaces word them: a status of gRPC, and FCM's own code among the details.
struct GoogleError {
    /// The details that tell FCM's code from an error of Google's front.
    static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    private static let statuses: [Int: String] = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL", 503: "UNAVAILABLE",
    ]

    /// - Parameters:
    ///   - code: FCM's own, such as `UNREGISTERED`; nil leaves the details out.
    ///   - field: the field that is wrong, where one is.
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

    /// What a fault asks for: Google's statuses alone carry no code of FCM's.
    static func answer(_ fault: Fault.Answer) -> SimulatorAnswer {
        let isOfTheFront = fault.reason == "UNAUTHENTICATED" || fault.reason == "NOT_FOUND" || fault.reason == "PERMISSION_DENIED"
        var answer = Self.answer(fault.status, code: isOfTheFront || fault.reason.isEmpty ? nil : fault.reason, "a simulated fault")
        if let retryAfter = fault.retryAfter { answer.headers.append(("retry-after", retryAfter)) }
        return answer
    }
}
