package import HTTPServer

/// Who is notified where, and not any more: the registered push tokens on the operators' listener.
package struct DeviceRoutes: Sendable {
    let handlers: AdminHandlers

    /// Makes the routes.
    package init(handlers: AdminHandlers) {
        self.handlers = handlers
    }

    package var routes: [Route] {
        [
            Route(
                DeviceAction.path,
                [
                    (.get, handlers.handler { request throws(AdminMistake) in try DeviceAction.listing(AdminQuery(request.queryItems())) }),
                    (
                        .delete,
                        handlers.handler { request throws(AdminMistake) in try DeviceAction.removing(AdminQuery(request.queryItems())) }
                    ),
                ])
        ]
    }
}
