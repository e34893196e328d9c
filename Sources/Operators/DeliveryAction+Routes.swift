internal import Core
internal import HTTPServer

/// The deliveries on the admin listener: what was sent where, why it failed, and again.
extension DeliveryAction {
    private static let id = AdminRoute.Parameter("id", .path, isRequired: true, text: "The delivery's id.")
    private static let path: StaticString = "/v1/deliveries"

    /// The routes.
    static let routes = [
        AdminRoute(
            .get, path, .read, summary: "The deliveries that match all criteria, newest first.",
            DeliveryCriteria.parameters + AdminQuery.page,
            answer: AdminRoute.Answer(["deliveries", "next"], text: "The deliveries, and where the list goes on; null at its end."),
            .fromStore { request throws(AdminMistake) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .delete, path, .operate, summary: "Forgets deliveries that have ended, or gives up what waits for one notifier.",
            purgeParameters,
            answer: AdminRoute.Answer(["purged"], text: "How many."),
            .fromStore { request throws(AdminMistake) in try purging(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .get, "/v1/deliveries/:id", .read, summary: "One delivery with all its attempts.", [id],
            answer: AdminRoute.Answer(
                [
                    "id", "notifier", "state", "reason", "attempts", "due_at", "waits", "ended_at", "event_id", "type", "app_id", "user_id",
                    "ticket_id", "comment_id", "device_id", "target", "occurred_at", "received_at", "expires_at", "data_kept", "tries",
                ], text: "The delivery."),
            .fromStore { request in id(of: request).map { DeliveryAction.show($0) } }),
        AdminRoute(
            .post, "/v1/deliveries/:id/retry", .operate, summary: "Makes a dead delivery pending again.", [id],
            answer: AdminRoute.Answer(["retried"], text: "How many: 1."),
            .fromStore { request in id(of: request).map { DeliveryAction.retryOne($0) } }),
        AdminRoute(
            .post, "/v1/deliveries/retry", .operate, summary: "Makes all dead deliveries that match pending again.",
            DeliveryCriteria.parameters.map { $0.placed(.body) } + [DeliveryRetryBody.all],
            answer: AdminRoute.Answer(["retried"], text: "How many."),
            .fromStore { request throws(AdminMistake) in
                try request.withBody { body throws(AdminMistake) in try DeliveryRetryBody.action(body) }
            }),
    ]

    private static func id(of request: borrowing Request) -> UUIDv7? {
        request.withPathParameter { parameter in
            var text: [UInt8] = []
            for index in parameter.indices { text.append(parameter[index]) }
            return String(validating: text, as: UTF8.self).flatMap { UUIDv7($0) }
        }
    }
}
