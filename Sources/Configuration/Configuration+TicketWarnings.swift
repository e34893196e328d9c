internal import Core

extension Configuration {
    /// Warnings about lists of fields that no customer can set, because the app does not serve tickets to customers.
    var ticketWarnings: [ConfigurationWarning] {
        apps.enumerated().flatMap { index, app -> [ConfigurationWarning] in
            guard let sendbird = app.sendbird, !sendbird.servesTickets else { return [] }
            let lists = [("ticket_fields", sendbird.ticketFields), ("customer_fields", sendbird.customerFields)]
            return lists.filter { !$0.1.isEmpty }.map { key, _ in
                ConfigurationWarning(
                    path: "$.apps[\(index)].sendbird.\(key)",
                    message: LocalizedText(
                        "has no effect, because the app serves its customers no tickets; set \"tickets\": true beside it, or remove it",
                        "не действует: тикеты клиентам этого приложения недоступны; задайте рядом \"tickets\": true или уберите это"))
            }
        }
    }
}
