package import Core
internal import Time

extension Authorizer {
    package func appReference(appID: Span<UInt8>) -> String? {
        let nobody: [UInt8] = []
        let decision = authorize(appID: appID, userID: nobody.span, securityKey: nobody.span, now: 0, revocations: .none)
        return references(of: decision, appID: appID, userID: nobody.span).app
    }
}
