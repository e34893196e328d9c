internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import Observability

/// Authenticates a webhook and parses its comment.
struct WebhookIntake {
    struct Proven {
        let app: WebhookApps.App
        /// Nil when the user wrote it, not support.
        let comment: Comment?
        /// The device's push token; nil when the webhook has none.
        let token: PushToken?
        /// The optional members that could not be read, as in `WebhookFields.leftOut`.
        let leftOut: [String]
    }

    enum Proof {
        case path
        case signature
    }

    enum Refusal: Error {
        /// The webhook is not authenticated. The app is the one named in the body, if its secret or signature was not used.
        case denied(WebhookRefusal, WebhookApps.App?)
        /// The body is unreadable. The app is nil when unknown.
        case malformed(WebhookError, WebhookApps.App?)
        /// The webhook names no user, and the app does not accept that. The app is nil when unknown.
        case anonymous(WebhookError, WebhookApps.App?)
        case failed(CryptoError)
    }

    let apps: WebhookApps

    /// Finds the apps to which a request may belong from its path and headers, so that the body is not received when there are none.
    func candidates(_ request: borrowing Request, provenBy proof: Proof) throws(Refusal) -> WebhookApps.Candidates {
        let candidates =
            switch proof {
            case .path: request.withPathParameter { apps.candidates(withSecret: $0) }
            case .signature: apps.candidatesWithoutSecret()
            }
        if candidates.isEmpty { throw .denied(proof == .path ? .pathSecret : .noSignature, nil) }
        guard WebhookSignature.of(request) == nil else { return candidates }
        let unsigned = apps.unsigned(candidates)
        if unsigned.isEmpty { throw .denied(.noSignature, nil) }
        return unsigned
    }

    /// Parses a request that must have this proof. The signature is verified before the body is parsed.
    func comment(_ request: borrowing Request, provenBy proof: Proof) throws(Refusal) -> Proven {
        let candidates = try candidates(request, provenBy: proof)
        let owners = try signers(of: request, among: candidates)
        if owners.isEmpty { throw .denied(.signature, nil) }
        let parser = try parser(request)
        return try proven(parser, try app(of: parser, among: owners))
    }

    /// Returns the app that a body names. An anonymous body without an app belongs to the only app with its proof.
    private func app(of parser: WebhookParser, among owners: WebhookApps.Candidates) throws(Refusal) -> WebhookApps.App {
        let app = parser.appID.map { apps.app($0, among: owners) } ?? apps.only(of: owners)
        if let error = parser.anonymity, app.map({ !$0.acceptsAnonymous }) ?? (parser.appID == nil) { throw .anonymous(error, app) }
        guard let app else { throw .denied(.app, parser.appID.flatMap { apps.app($0) }) }
        return app
    }

    private func signers(
        of request: borrowing Request, among candidates: WebhookApps.Candidates
    ) throws(Refusal) -> WebhookApps.Candidates {
        guard let signature = WebhookSignature.of(request) else { return candidates }
        do throws(CryptoError) {
            return try request.withBody { body throws(CryptoError) in try apps.signers(of: body, signature, among: candidates) }
        } catch {
            throw .failed(error)
        }
    }

    private func parser(_ request: borrowing Request) throws(Refusal) -> WebhookParser {
        do throws(WebhookError) {
            return try request.withBody { body throws(WebhookError) in try WebhookParser(body) }
        } catch {
            throw .malformed(error, nil)
        }
    }

    private func proven(_ parser: WebhookParser, _ app: WebhookApps.App) throws(Refusal) -> Proven {
        let comment: Comment?
        do throws(WebhookError) {
            comment = try parser.comment(of: app.id, avatars: app.avatars)
        } catch {
            throw .malformed(error, app)
        }
        return Proven(app: app, comment: comment, token: try token(parser.pushToken), leftOut: parser.leftOut)
    }

    private func token(_ text: String?) throws(Refusal) -> PushToken? {
        guard let text else { return nil }
        do throws(CryptoError) {
            return try PushToken(text)
        } catch {
            throw .failed(error)
        }
    }
}

extension WebhookIntake.Refusal {
    /// The app in whose metrics the rejection is counted; nil when unknown.
    var app: WebhookApps.App? {
        switch self {
        case .denied(_, let app), .malformed(_, let app), .anonymous(_, let app): app
        case .failed: nil
        }
    }

    /// The cause on the sender's side; nil when OpenSSL failed.
    var cause: WebhookRefusal? {
        switch self {
        case .denied(let cause, _): cause
        case .malformed: .malformed
        case .anonymous: .anonymous
        case .failed: nil
        }
    }

    /// The reason, as in the log; it contains nothing from the request.
    var reason: String {
        switch self {
        case .denied(let denial, _): denial.rawValue
        case .malformed(let error, _): error.reason
        case .anonymous: WebhookRefusal.anonymous.rawValue
        case .failed(let error): error.description
        }
    }
}
