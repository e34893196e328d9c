package struct DemoGuide: Sendable {
    package let page: String
    package let listener: String
    /// Suggestions for the page, one or two sentences each.
    package let suggestions: [String]

    /// Writes the guide.
    /// - Parameter keyID: the key id that the simulated APNs accepts.
    init(_ ports: DemoPorts, keyID: String) {
        page = "http://127.0.0.1:\(ports.admin)/"
        listener = "http://127.0.0.1:\(ports.listen)"
        suggestions = [
            "Search \(DemoPeople.blocked.user): why she may not use the chat. Unblock her there; her next request, within seconds, is allowed.",
            "Search \(DemoPeople.courierComment): why a courier was not notified. Follow the page: in config.json, replace "
                + "\(DemoConfiguration.wrongKeyID) by \(keyID), and pending replies arrive automatically.",
            "Dead letters: FCM refused \(DemoPeople.refusals) pushes to \(DemoPeople.refused.user), and accepts them now. Retry them, and they arrive.",
            "Tickets: those of \(DemoApp.market.rawValue), whose help desk is Sendbird Desk. "
                + "Close one; the event that Desk reports then appears on the ticket's view.",
            "Bots: a customer of \(DemoApp.market.rawValue) has asked the bot for a person, and confirmed the summary. "
                + "The bot's summary is a message in the most recently changed ticket.",
        ]
    }
    /// A shell command that authorizes a user like the help desk, with the response 200. It contains no secret: the command within it mints
    /// the key.
    /// - Parameters:
    ///   - program: the path of `deskgate`, as a shell's word.
    ///   - configuration: the path of the configuration, as a shell's word.
    package func request(program: String, configuration: String) -> String {
        let person = DemoPeople.well[0]
        let (app, user) = (person.app.rawValue, person.user)
        let mint = "\(program) key mint --config \(configuration) --app \(app) --user \(user)"
        return "curl -i \(listener)/pyrus/authorize --json '{\"app_id\": \"\(app)\", \"user_id\": \"\(user)\", "
            + "\"security_key\": \"'$(\(mint))'\"}'"
    }
}
