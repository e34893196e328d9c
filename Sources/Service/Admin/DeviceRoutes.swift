internal import HTTPServer

/// Who is notified where, and not any more: the registered push tokens on the operators' listener.
struct DeviceRoutes: Sendable {
    let handlers: AdminHandlers

    var routes: [Route] {
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
