internal import Crypto
internal import HTTP2Server
internal import JSON
internal import Time
internal import WebTokens

/// Google's OAuth for service accounts: exchanges an assertion signed with RS256 for an access token (RFC 7523).
struct GoogleOAuth {
    static let path = "/token"

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let leewaySeconds: UInt64 = 60

    let key: RS256PublicKey
    let clientEmail: String
    let tokens: AccessTokens

    /// - Parameter audience: the required `aud` of the assertion: this endpoint's own URL.
    func answer(_ request: HTTP2Request, audience: String, now: UnixSeconds) -> SimulatorAnswer {
        guard request.method == "POST" else { return refuse("invalid_request", "the method must be POST") }
        let form = FormBody(received: request.body)
        guard form["grant_type"] == Self.grantType else { return refuse("unsupported_grant_type", "Invalid grant_type") }
        let token: VerifiedWebToken
        do throws(VerifiedWebToken.Problem) {
            token = try VerifiedWebToken(form["assertion"] ?? "", key: key)
        } catch {
            return refuse("invalid_grant", error == .wrongSignature ? "Invalid JWT Signature." : "Invalid JWT")
        }
        if let problem = problem(token.claims, audience: audience, now: now) { return refuse("invalid_grant", problem) }
        guard token.claims["scope"]?.text?.split(separator: " ").contains(where: { $0 == Self.scope }) == true else {
            return refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        return SimulatorAnswer(
            status: 200,
            json: [
                "access_token": .string(tokens.issue(now: now)), "expires_in": .integer(Int64(tokens.lifetimeSeconds)),
                "token_type": "Bearer",
            ])
    }

    private func problem(_ claims: JSONObject, audience: String, now: UnixSeconds) -> String? {
        guard claims["iss"]?.text == clientEmail else { return "Invalid grant: account not found" }
        guard claims["aud"]?.text == audience else { return "Invalid JWT: Failed audience check." }
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer, issued > 0, expires > issued else {
            return "Invalid JWT: iat and exp are required."
        }
        let (begin, end) = (UnixSeconds(rawValue: UInt64(issued)), UnixSeconds(rawValue: UInt64(expires)))
        let isTimely = begin <= now + Self.leewaySeconds && end + Self.leewaySeconds > now && expires - issued <= 3600
        return isTimely ? nil : "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
    }

    private func refuse(_ error: String, _ description: String) -> SimulatorAnswer {
        SimulatorAnswer(status: 400, json: ["error": .string(error), "error_description": .string(description)])
    }
}
