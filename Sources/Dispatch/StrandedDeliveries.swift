package import Core
package import Observability

/// Pending deliveries of notifiers that were removed from the configuration. They are not attempted, but until they expire they count
/// towards `store.max_pending`; once that is reached, all webhooks are rejected.
package enum StrandedDeliveries {
    /// Logs a warning with a remedy for each such notifier, unless the store cannot be read.
    package static func warn(_ store: any Store, configured: some Sequence<String>, _ logger: Logger) {
        let configured = Set(configured.map { ByteKey($0) })
        for pending in (try? store.pending()) ?? [] where !configured.contains(ByteKey(pending.notifier)) {
            logger.log(
                .warning, message: "deliveries wait for a notifier that is not configured",
                fields: [
                    "notifier": .string(pending.notifier), "count": .integer(pending.count),
                    "remedy": .string("configure it again, or give them up: deskgate deliveries purge --state pending --notifier NAME"),
                ])
        }
    }
}
