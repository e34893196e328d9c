package import Core
package import Observability

/// The app and the user of a denied request in a form that may be logged. The fields never contain the caller's text, which may be a secret
/// in the wrong field.
package struct CallerLogFields {
    /// The app; nil when it is not configured.
    package let app: String?
    /// A keyed digest of the app_id; only for an app that is not configured.
    private let appReference: String?
    /// A keyed digest of the user.
    private let userReference: String?
    /// The key id in the security key, regardless of whether the app has this key.
    private let keyID: UInt32?
    /// The reason when the app's backend could not decide and the app's rule decided instead; otherwise nil.
    private var cause: UndecidedReason?

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

    /// - Parameter cause: the value that `BackendVerification.ask` returned.
    package func undecided(_ cause: UndecidedReason?) -> CallerLogFields {
        var caller = self
        caller.cause = cause
        return caller
    }

    package func append(to fields: inout LogFields) {
        if let app { fields.append("app", .string(app)) }
        if let appReference { fields.append("app_ref", .string(appReference)) }
        if let keyID { fields.append("key_id", .integer(Int(keyID))) }
        if let userReference { fields.append("user_ref", .string(userReference)) }
        if let cause { fields.append("cause", .string(cause.rawValue)) }
    }
}
