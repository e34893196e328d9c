package import Core
package import Observability

/// Deliveries that wait for notifiers which have left the configuration.
///
/// Nobody tries them, but until they expire they count towards `store.max_pending`, at which all webhooks are refused.
package enum StrandedDeliveries {
    /// Warns operators of each such notifier, and says what to do; when the store cannot tell, nothing.
    package static func warn(_ store: any Store, configured: some Sequence<String>, _ logger: Logger) {
        let configured = Set(configured.map { ByteKey($0) })
        for pending in (try? store.pending()) ?? [] where !configured.contains(ByteKey(pending.notifier)) {
            logger.log(
                .warning, "deliveries wait for a notifier that is not configured",
                [
                    "notifier": .string(pending.notifier), "count": .integer(pending.count),
                    "remedy": .string("configure it again, or give them up: deskgate deliveries purge --state pending --notifier NAME"),
                ])
        }
    }
}
