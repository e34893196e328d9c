internal import HTTPServer

/// The requests that accept an id from an answer, for the description of the listeners.
///
/// Requests about a delivery.
extension [RouteDescription.Link] {
    /// With a delivery.
    /// - Parameter pointer: the position of its id in the answer, as a JSON pointer.
    static func delivery(_ pointer: String) -> Self {
        let id = inAnswer(pointer)
        return [
            RouteDescription.Link(.get, path: "/v1/deliveries/:id", parameters: ["id": id]),
            RouteDescription.Link(.post, path: "/v1/deliveries/:id/retry", parameters: ["id": id]),
            RouteDescription.Link(.get, path: "/v1/explain", parameters: ["delivery_id": id]),
        ]
    }

    static func revocation(_ pointer: String) -> Self {
        [RouteDescription.Link(.delete, path: "/v1/revocations/:id", parameters: ["id": inAnswer(pointer)])]
    }

    static func botCall(_ pointer: String) -> Self {
        [RouteDescription.Link(.get, path: "/v1/bots/calls/:id", parameters: ["id": inAnswer(pointer)])]
    }

    /// Requests about a person.
    /// - Parameter pointer: the position of the object with `app_id` and `user_id` in the answer.
    static func person(_ pointer: String) -> Self {
        [
            RouteDescription.Link(
                .get, path: "/v1/users", parameters: ["app_id": inAnswer("\(pointer)/app_id"), "user_id": inAnswer("\(pointer)/user_id")])
        ]
    }

    /// Requests about a device.
    /// - Parameter pointer: the position of the object with `app_id`, `user_id` and `device_id` in the answer.
    static func device(_ pointer: String) -> Self {
        let names = ["app_id", "user_id", "device_id"]
        let values = names.map { ($0, inAnswer("\(pointer)/\($0)")) }
        return [RouteDescription.Link(.get, path: "/v1/explain", parameters: Dictionary(uniqueKeysWithValues: values))]
    }

    /// Requests about a ticket.
    /// - Parameter app: the expression for its app.
    static func ticket(_ pointer: String, app: String) -> Self {
        let values = ["app_id": app, "ticket_id": inAnswer(pointer)]
        return [
            RouteDescription.Link(.get, path: "/v1/tickets/show", parameters: values),
            RouteDescription.Link(.post, path: "/v1/tickets/close", body: values),
            RouteDescription.Link(.post, path: "/v1/tickets/reopen", body: values),
        ]
    }

    /// Requests with the security key of a person, both from the same request.
    static func securityKey(_ pointer: String) -> Self {
        let values = ["app_id": "$request.body#/app_id", "user_id": "$request.body#/user_id", "security_key": inAnswer(pointer)]
        return [
            RouteDescription.Link(.get, path: "/v1/explain", parameters: values),
            RouteDescription.Link(.get, path: "/v1/keys/revoked", parameters: values),
        ]
    }

    private static func inAnswer(_ pointer: String) -> String { "$response.body#\(pointer)" }
}
