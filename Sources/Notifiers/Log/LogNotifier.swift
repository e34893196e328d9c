package import Core
package import Observability

/// Writes events to the log: the type and the ticket, but no text that a person wrote.
package struct LogNotifier: Notifier {
    private let logger: Logger

    /// Writes to `logger` at level info.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    package var preservesTicketOrder: Bool { false }
    /// Each attempt ends before `deliver` returns.
    package var concurrency: Int { 64 }
    /// Never used, because every attempt succeeds.
    package var retryPolicy: RetryPolicy { .webhook }
    /// Writing a line does not block.
    package var longestAttemptMilliseconds: UInt64 { 1000 }

    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let identity = delivery.event.identity
        var fields: LogFields = [
            "type": .string(delivery.event.kind.rawValue), "id": .string(delivery.event.id.description), "app": .string(identity.appID),
        ]
        if let ticketID = identity.ticketID { fields.append("ticket_id", .id(ticketID)) }
        if let commentID = identity.commentID { fields.append("comment_id", .id(commentID)) }
        if let token = Self.token(of: delivery) { fields.append("token", .string(token)) }
        fields.append("notifier", .string(delivery.notifier))
        if let trace = delivery.attempt { fields.append("trace_id", .string(trace.traceIDText)) }
        logger.log(.info, message: "event", fields: fields)
        completion(DeliveryOutcome(.delivered, reason: Delivery.loggedReason))
    }

    /// The push token that the event is about, masked; nil when there is none.
    private static func token(of delivery: Delivery) -> String? {
        guard !delivery.event.kind.isForDevices else { return delivery.device?.token.masked }
        return RegistryChange.Payload(delivery.event).map { PushToken($0.token.text, digest: []).masked }
    }
}

extension LogValue {
    /// An id of the help desk, as a number if `HelpDeskID.number` returns one.
    fileprivate static func id(_ id: HelpDeskID) -> LogValue {
        id.number.map { .integer(Int($0)) } ?? .string(id.text)
    }
}
