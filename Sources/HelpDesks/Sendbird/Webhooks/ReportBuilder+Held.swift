internal import Bytes
internal import Core
internal import Crypto
internal import HelpDesk
internal import Threading
internal import Time

/// Messages of channels whose owner is not yet known.
extension ReportBuilder {
    /// The device of the held event, which distinguishes this event from the later one. The device of an answer to a question is the number
    /// of the question, so it differs too.
    private static let heldDevice = "held"

    /// Creates the reports of an app's webhook according to the active configuration.
    /// - Parameter lifetimeMilliseconds: the time from `receivedAt` until the events expire.
    /// - Throws: when OpenSSL fails.
    init(
        of app: SendbirdState.App, receivedAt: UnixMilliseconds, lifetimeMilliseconds: UInt64, trace: TraceContext?,
        identity: Event.Identity, _ services: HelpDeskServices
    ) throws(CryptoError) {
        let appID = app.id
        try self.init(
            appID: appID, app.subscriptions, receivedAt: receivedAt, lifetimeMilliseconds: lifetimeMilliseconds, trace: trace,
            identity: identity, random: services.random
        ) { userID in
            try? services.revocations.current.isForgotten(appID: appID.utf8.span, userID: userID.utf8.span)
        }
    }

    /// Creates the report that holds a message until its owner is known. The report has a separate identity, because the message's identity
    /// belongs to the final report.
    /// - Parameter body: the body of the webhook, which is parsed again later.
    func held(_ webhook: ChatWebhook, body: [UInt8]) -> Report {
        let device = webhook.isComment ? Self.heldDevice : "\(Self.heldDevice)/\(self.identity.commentID?.text ?? "")"
        let identity = Event.Identity(appID: appID, ticketID: webhook.channel, commentID: webhook.messageID, deviceID: device)
        let event = Event(
            id: id(0), kind: .messageHeld, identity: identity, userID: "", occurredAt: webhook.occurredAt ?? receivedAt,
            receivedAt: receivedAt, expiresAt: receivedAt + lifetimeMilliseconds, data: body, trace: trace)
        let channel = Self.channelName(webhook.channel)
        return Report(
            appID: appID, identity: identity, id: id(0), receivedAt: receivedAt, conversations: [channel], userID: nil
        ) { conversations in
            if conversations[channel]?.isOfForgottenPerson == true { return .ignored(reason: nil) }
            return .decided(
                conversations: [], incomingEvents: [IncomingEvent(event, to: [HeldMessage.subscription])],
                remark: DurableWebhookResult.held.rawValue)
        }
    }
}

extension ChatWebhook {
    /// Returns the identity for the deduplication of the webhook: the identity of its message, or otherwise of its body.
    /// - Throws: when OpenSSL fails.
    func identity(_ appID: String, body: Span<UInt8>) throws(CryptoError) -> Event.Identity {
        isComment ? messageIdentity(appID) : try Report.identity(appID: appID, body: body)
    }
}

extension Report {
    /// Returns the identity for the deduplication of a report by its body.
    /// - Throws: when OpenSSL fails.
    static func identity(appID: String, body: Span<UInt8>) throws(CryptoError) -> Event.Identity {
        let digest = try sha256(body)
        guard let identity = identity(appID: appID, digest: Hexadecimal.text(digest.span)) else {
            preconditionFailure("a hexadecimal text is a valid identifier")
        }
        return identity
    }
}
