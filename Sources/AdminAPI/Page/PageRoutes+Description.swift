internal import HTTPServer
internal import JSON

/// The parameters and answers of the routes of the operators' page, for the OpenAPI document.
extension PageRoutes {
    private static let page = RouteDescription.Answer(200, text: "The page.", schema: Schema.text, mediaType: "text/html")
    private static let unchanged = RouteDescription.Answer(304, text: "The file has the ETag of If-None-Match.")
    private static let needsTLS = RouteDescription.Answer(403, text: "Other machines can reach the listener, and it has no TLS.")
    private static let absent = RouteDescription.Answer(404, text: "The page is switched off, or has no such file.")
    private static let misdirected = RouteDescription.Answer(
        421, text: "The Host header is a name other than localhost, while only this machine reaches the listener.")
    private static let foreign = RouteDescription.Answer(
        403, text: "Origin is not the page, the token has the role mint, or the listener needs TLS.")
    private static let members = [("role", AdminSchema.maybeText), ("token", AdminSchema.maybeText)]
    private static let session = RouteDescription.Answer(
        200, text: "The role of the session, and the place of its token in the configuration; null without a session.",
        schema: Schema.object(members))
    private static let opened = RouteDescription.Answer(
        200,
        text:
            "The role and the key of the token, and the secret that requests with the session's cookie must send in the header \(SessionCookie.secretHeader).",
        schema: Schema.object(members + [("secret", Schema.text)]))
    private static let notProven = RouteDescription.Answer(
        401, text: "The request has a session's cookie without its secret, or the session has ended.")

    /// `GET /`
    static let index: [HTTPServer.Method: RouteDescription] = [
        .get: RouteDescription("The operators' page.", answers: [page, unchanged, needsTLS, absent, misdirected])
    ]

    /// `GET /page/:file`
    static let file: [HTTPServer.Method: RouteDescription] = [
        .get: RouteDescription(
            "A file of the operators' page.",
            parameters: [RouteDescription.Parameter("file", place: .path, schema: Schema.line(1...255), text: "The name of the file.")],
            answers: [
                RouteDescription.Answer(200, text: "The file.", schema: Schema.text, mediaType: "text/javascript"), unchanged, needsTLS,
                absent,
                misdirected,
            ])
    ]

    /// `/session`
    static let sessions: [HTTPServer.Method: RouteDescription] = [
        .get: RouteDescription("Whether the browser has a session.", answers: [session, needsTLS, absent, misdirected]),
        .post: RouteDescription(
            "Opens a session. Its cookie and secret together represent the token. Only the page itself may call this.",
            body: RouteDescription.Body(Schema.object([("token", Schema.text)])),
            answers: [
                opened, RouteDescription.Answer(400, text: "The body is not the expected object."),
                RouteDescription.Answer(401, text: "The text is not an admin token."), foreign, absent, misdirected,
            ]),
        .delete: RouteDescription(
            "Ends the session. Only the page itself may call this.", answers: [session, notProven, foreign, absent, misdirected]),
    ]
}
