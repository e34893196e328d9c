internal import Configuration
internal import HTTPServer
internal import JSON
internal import Threading

/// `GET /v1/configuration`
enum ShownConfigurationRoute {
    /// The route, which is answered from memory.
    static let route = AdminRoute(
        .get, "/v1/configuration", .read, summary: "The configuration file in force, without its secrets.",
        answer: AdminRoute.Answer(
            ["configuration", "files"], ["configuration": AdminSchema.anyObject, "files": Schema.array(Schema.text)],
            text: "The file's object, and the names of the files that were read for it."),
        .fromMemory { _, _, listener in
            let shown = listener.services.state.current.shown
            return Response(
                status: 200, json: ["configuration": shown.value, "files": .array(shown.files.map { .string($0) })],
                headers: [("Cache-Control", "no-store")])
        })
}
