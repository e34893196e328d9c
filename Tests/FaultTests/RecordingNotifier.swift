import Core

/// A notifier that records its deliveries.
final class RecordingNotifier: Notifier {
    let preservesTicketOrder = true
    let concurrency = 64
    let retryPolicy = RetryPolicy.webhook
    private let coalescer: AcceptanceRecord
    private let answers: Bool

    /// - Parameter answers: whether its receiver accepts everything; otherwise attempts last until the process ends.
    init(_ coalescer: AcceptanceRecord, answers: Bool = true) {
        self.coalescer = coalescer
        self.answers = answers
    }

    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        coalescer.note(delivery)
        if answers { completion(DeliveryOutcome(.delivered, reason: "arrived")) }
    }
}

extension AcceptanceRecord {
    func note(_ delivery: Delivery) {
        let number = Int(delivery.event.identity.commentID?.number ?? -1)
        if let device = delivery.device { note(.addressed(number, device: device.key.deviceID)) }
        if delivery.event.data != Load.data(number) { note(.broken("comment \(number) was delivered with other data")) }
        note(.delivered(number, delivery.id))
    }
}
