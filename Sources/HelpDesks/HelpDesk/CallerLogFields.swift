package import Core
package import Observability

/// The app and the person that a denied request names, in the form that may be logged: never the caller's own text, which may be a secret
/// in the wrong field.
package struct CallerLogFields {
    /// The app; nil when it is not configured.
    package let app: String?
    /// A keyed digest of an app that is not configured.
    private let appReference: String?
    /// A keyed digest of the person.
    private let userReference: String?
    /// The number of the key in the security key, whether the app has it or not.
    private let keyID: UInt32?
    /// The failure of the app's backend, where the app's rule decided instead; otherwise nil.
    private var cause: UndecidedReason?

    /// Describes the caller of a request.
    /// - Parameter decision: the decision of this authorizer on these fields.
    package init(
        _ decision: Authorizer.Authorization, _ authorizer: Authorizer, appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>
    ) {
        app = decision.namedApplication.map { authorizer.applications[$0].name }
        if case .malformed = decision.verdict {
            (appReference, userReference, keyID) = (nil, nil, nil)
        } else {
            let references = authorizer.references(of: decision, appID: appID, userID: userID)
            appReference = decision.application == nil ? references.app : nil
            userReference = references.user
            keyID = SecurityKey(securityKey)?.keyID
        }
    }

    init(_ registration: Registration, _ authorizer: Authorizer) {
        let (appID, userID) = (registration.key.appID, registration.key.userID)
        (app, appReference, keyID) = (appID, nil, registration.claims.key?.keyID)
        userReference = authorizer.userReference(appID: appID.utf8.span, userID: userID.utf8.span)
    }

    /// The caller of a request that called the backend.
    /// - Parameter cause: from `BackendVerification.ask`.
    package func undecided(_ cause: UndecidedReason?) -> CallerLogFields {
        var caller = self
        caller.cause = cause
        return caller
    }

    /// Adds the known fields to a log line.
    package func append(to fields: inout LogFields) {
        if let app { fields.append("app", .string(app)) }
        if let appReference { fields.append("app_ref", .string(appReference)) }
        if let keyID { fields.append("key_id", .integer(Int(keyID))) }
        if let userReference { fields.append("user_ref", .string(userReference)) }
        if let cause { fields.append("cause", .string(cause.rawValue)) }
    }
}
