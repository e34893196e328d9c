internal import Bytes
internal import Core
internal import Crypto
internal import HelpDesk
internal import Threading
internal import Time

/// Messages of channels whose owner is not known yet.
extension ReportMaker {
    /// The event's device, which distinguishes it from the later event of the message. An answer to a question is held beside the question,
    /// which has the same number.
    private static let heldDevice = "held"

    /// Makes the reports of a webhook of an app, by the configuration in force.
    /// - Parameter lifeMilliseconds: how long the events live after `receivedAt`.
    /// - Throws: when OpenSSL fails.
    init(
        of app: SendbirdState.App, receivedAt: UnixMilliseconds, lifeMilliseconds: UInt64, trace: TraceContext?,
        identity: Event.Identity, _ services: HelpDeskServices
    ) throws(CryptoError) {
        let appID = app.id
        try self.init(
            appID: appID, app.subscriptions, receivedAt: receivedAt, lifeMilliseconds: lifeMilliseconds, trace: trace,
            identity: identity, random: services.random
        ) { userID in
            try? services.revocations.current.isFormer(appID: appID.utf8.span, userID: userID.utf8.span)
        }
    }

    /// The report that holds a message until its owner is known. It has an identity of its own, because the message's own identity is that
    /// of the later report.
    /// - Parameter body: of the webhook, which is read again then.
    func held(_ webhook: ChatWebhook, body: [UInt8]) -> Report {
        let device = webhook.isComment ? Self.heldDevice : "\(Self.heldDevice)/\(self.identity.commentID?.text ?? "")"
        let identity = Event.Identity(appID: appID, ticketID: webhook.channel, commentID: webhook.messageID, deviceID: device)
        let event = Event(
            id: id(0), kind: .messageHeld, identity: identity, userID: "", occurredAt: webhook.occurredAt ?? receivedAt,
            receivedAt: receivedAt, expiresAt: receivedAt + lifeMilliseconds, data: body, trace: trace)
        let channel = Self.channelName(webhook.channel)
        return Report(
            appID: appID, identity: identity, id: id(0), receivedAt: receivedAt, conversations: [channel], userID: nil
        ) { conversations in
            if conversations[channel]?.isOfFormer == true { return .ignored(reason: nil) }
            return .decided(
                conversations: [], incomingEvents: [IncomingEvent(event, to: [HeldMessage.subscription])],
                remark: WebhookRemark.held.rawValue)
        }
    }
}

extension ChatWebhook {
    /// The identity by which the webhook is recognised when it comes again: of the message that it brings, or else of its body.
    /// - Throws: when OpenSSL fails.
    func identity(_ appID: String, body: Span<UInt8>) throws(CryptoError) -> Event.Identity {
        isComment ? messageIdentity(appID) : try Report.identity(appID: appID, body: body)
    }
}

extension Report {
    /// The identity of a report that is recognised by its body.
    /// - Throws: when OpenSSL fails.
    static func identity(appID: String, body: Span<UInt8>) throws(CryptoError) -> Event.Identity {
        let digest = try sha256(body)
        guard let identity = identity(appID: appID, digest: Hexadecimal.text(digest.span)) else {
            preconditionFailure("hexadecimal digits are an identity")
        }
        return identity
    }
}
