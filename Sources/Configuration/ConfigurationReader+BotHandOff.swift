internal import Core

/// The consent that a hand-off requires. `model` is not allowed, because a model could confirm its own request.
enum HandOffConsent: String, CaseIterable {
    case user, none

    var confirmation: BotConfirmation { self == .user ? .user : .none }
}

/// The built-in function with which a bot hands over a conversation to a person.
extension ConfigurationReader {
    static let handOffKey = BotHandOff.functionName

    func botHandOff(_ bot: ConfigurationObject, serving ids: [String], of apps: [Configuration.App]) -> BotFunction? {
        guard let object = bot.object(Self.handOffKey, keys: Self.botHandOffKeys) else { return nil }
        let consent: HandOffConsent = object.choice("confirm")
        let title = object.string("title") ?? object.standard("title")
        let message = object.string("message") ?? object.standard("message")
        for app in apps where app.sendbird == nil && ids.contains(where: { $0.utf8.elementsEqual(app.id.utf8) }) {
            problems.add(
                object.path,
                "the bot serves \(printable(app.id)), which is no app of Sendbird Desk and has no tickets; serve it with another bot, or remove "
                    + "this")
        }
        guard let text = botText(message, path: object.path(of: "message")) else { return nil }
        do throws(TicketProblem) {
            return try BotHandOff(title: title, message: text).function(confirmation: consent.confirmation)
        } catch {
            problems.add(object.path(of: error.field), error.expectation)
            return nil
        }
    }

    /// Records a mistake if a configured function has the name of the built-in one.
    func refuseHandOffName(_ function: ConfigurationObject) {
        problems.add(
            function.path(of: "name"),
            "\"\(Self.handOffKey)\" of the bot makes the function of this name; give this one another name, or remove \"\(Self.handOffKey)\""
        )
    }
}
