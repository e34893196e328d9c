/// Why FCM refuses a message (Firebase, "ErrorCode"; Google, "google.rpc.Code").
enum FCMErrorCode: String, Sendable, CaseIterable {
    case unregistered = "UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case invalidArgument = "INVALID_ARGUMENT"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case unauthenticated = "UNAUTHENTICATED"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case `internal` = "INTERNAL"
    case unavailable = "UNAVAILABLE"
    // Statuses that stand alone when FCM itself has not seen the request.
    case notFound = "NOT_FOUND"
    case permissionDenied = "PERMISSION_DENIED"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    /// RuStore's word for it.
    case tooManyRequests = "TOO_MANY_REQUESTS"

    /// The code as it stands in metrics and before people.
    var word: String { rawValue.lowercased() }
}
