internal import Core
internal import Crypto
internal import HTTPServer
internal import Observability

/// From a request to a comment whose origin is proven.
struct WebhookIntake {
    /// A comment with its app.
    struct Proven {
        let app: WebhookApps.App
        let comment: WebhookComment
        /// What its provider knows the device by, if that came with it.
        let token: PushToken?
    }

    /// What proves that a webhook comes from the help desk.
    enum Proof {
        /// The secret at the end of the path.
        case path
        /// The signature in a header.
        case signature
    }

    /// Why there is none.
    enum Refusal: Error {
        /// Its origin is not proven; the app is the one that it names, if that takes webhooks.
        case denied(WebhookApps.App?)
        /// It cannot be read; the app is the one that has sent it, if that is known.
        case malformed(WebhookMistake, WebhookApps.App?)
        /// OpenSSL failed.
        case failed(CryptoError)
    }

    let apps: WebhookApps

    /// Reads a request that must have this proof.
    func comment(_ request: borrowing Request, provenBy proof: Proof) throws(Refusal) -> Proven {
        switch proof {
        case .path: try commentProvenByPath(request)
        case .signature: try commentProvenBySignature(request)
        }
    }

    private func commentProvenByPath(_ request: borrowing Request) throws(Refusal) -> Proven {
        let owners = request.withPathParameter { apps.owners(ofSecret: $0) }
        guard !owners.isEmpty else { throw .denied(nil) }
        let parser = try parser(request)
        let app = apps.app(parser.appID)
        guard let app, owners.contains(app) else { throw .denied(app) }
        return try proven(parser, app)
    }

    /// Reads only the app before the origin is known, because it says whose secret must have signed.
    private func commentProvenBySignature(_ request: borrowing Request) throws(Refusal) -> Proven {
        guard let signature = WebhookSignature.of(request) else { throw .denied(nil) }
        let parser = try parser(request)
        let app = apps.app(parser.appID)
        guard try isSigned(request, signature, by: app), let app else { throw .denied(app) }
        return try proven(parser, app)
    }

    private func parser(_ request: borrowing Request) throws(Refusal) -> WebhookParser {
        do throws(WebhookMistake) {
            return try request.withBody { body throws(WebhookMistake) in try WebhookParser(body) }
        } catch {
            throw .malformed(error, nil)
        }
    }

    private func isSigned(
        _ request: borrowing Request, _ signature: WebhookSignature, by app: WebhookApps.App?
    ) throws(Refusal) -> Bool {
        do throws(CryptoError) {
            return try request.withBody { body throws(CryptoError) in try apps.isSigned(body, signature, by: app) }
        } catch {
            throw .failed(error)
        }
    }

    private func proven(_ parser: WebhookParser, _ app: WebhookApps.App) throws(Refusal) -> Proven {
        let comment: WebhookComment
        do throws(WebhookMistake) {
            comment = try parser.comment()
        } catch {
            throw .malformed(error, app)
        }
        return Proven(app: app, comment: comment, token: try token(parser.pushToken))
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
    /// The app that it is counted for; nil for none.
    var app: WebhookApps.App? {
        switch self {
        case .denied(let app), .malformed(_, let app): app
        case .failed: nil
        }
    }

    var result: WebhookCounters.Result {
        switch self {
        case .denied: .denied
        case .malformed: .malformed
        case .failed: .unavailable
        }
    }

    /// Why, as it stands in the log; nothing of the request.
    var reason: String {
        switch self {
        case .denied: "origin"
        case .malformed(let mistake, _): mistake.reason
        case .failed(let error): error.description
        }
    }

    var logLevel: LogLevel {
        switch self {
        case .denied, .malformed: .info
        case .failed: .error
        }
    }
}
