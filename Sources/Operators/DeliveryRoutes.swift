internal import Core
package import HTTPServer

/// What was sent where, why it failed, and again: the deliveries on the operators' listener.
package struct DeliveryRoutes: Sendable {
    let handlers: AdminHandlers

    /// Makes the routes.
    package init(handlers: AdminHandlers) {
        self.handlers = handlers
    }

    package var routes: [Route] {
        [
            Route(
                "/v1/deliveries",
                [
                    (.get, handler { request throws(AdminMistake) in try .listing(AdminQuery(request.queryItems())) }),
                    (.delete, handler { request throws(AdminMistake) in try .purging(AdminQuery(request.queryItems())) }),
                ]),
            Route("/v1/deliveries/:id", [(.get, handler { request in Self.id(of: request).map { .show($0) } })]),
            Route(
                "/v1/deliveries/:id/retry", bodyLimit: AdminHandlers.bodyLimit,
                [(.post, handler { request in Self.id(of: request).map { .retryOne($0) } })]),
            Route(
                "/v1/deliveries/retry", bodyLimit: AdminHandlers.bodyLimit,
                [
                    (
                        .post,
                        handler { request throws(AdminMistake) in
                            try request.withBody { body throws(AdminMistake) in try DeliveryRetryBody.action(body) }
                        }
                    )
                ]),
        ]
    }

    private func handler(
        _ read: @escaping @Sendable (borrowing Request) throws(AdminMistake) -> DeliveryAction?
    ) -> Handler {
        handlers.handler { request throws(AdminMistake) in try read(request) }
    }

    private static func id(of request: borrowing Request) -> UUIDv7? {
        request.withPathParameter { parameter in
            var text: [UInt8] = []
            for index in parameter.indices { text.append(parameter[index]) }
            return String(validating: text, as: UTF8.self).flatMap { UUIDv7($0) }
        }
    }
}
