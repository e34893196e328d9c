import Core
import Time

/// The fields of a request. Compared as bytes, and never printed.
struct Triple: Sendable, Equatable {
    var appID: [UInt8]
    var userID: [UInt8]
    var securityKey: [UInt8]

    init(_ appID: String, userID: String, securityKey: String) {
        self.appID = Array(appID.utf8)
        self.userID = Array(userID.utf8)
        self.securityKey = Array(securityKey.utf8)
    }

    subscript(field: CredentialField) -> [UInt8] {
        get {
            switch field {
            case .appID: appID
            case .userID: userID
            case .securityKey: securityKey
            }
        }
        set {
            switch field {
            case .appID: appID = newValue
            case .userID: userID = newValue
            case .securityKey: securityKey = newValue
            }
        }
    }
}

extension Triple: CustomStringConvertible, CustomReflectable {
    var description: String { "<credentials>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authorizer {
    func authorize(_ triple: Triple, now: UnixSeconds, revocations: Revocations = .none) -> Authorization {
        authorize(
            appID: triple.appID.span, userID: triple.userID.span, securityKey: triple.securityKey.span, now: now, revocations: revocations)
    }
}
