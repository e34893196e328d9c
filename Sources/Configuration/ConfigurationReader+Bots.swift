internal import Core
internal import Crypto
internal import JSON

extension ConfigurationReader {
    private static let maximumBots = 100
    private static let maximumBotSecrets = 4

    /// - Parameter apps: the apps that bots may serve.
    func bots(in root: ConfigurationObject, apps: [Configuration.App]) -> [BotDefinition] {
        let elements = root.array("bots") ?? []
        if elements.count > Self.maximumBots {
            problems.add(root.path(of: "bots"), "expected at most \(Self.maximumBots) bots, found \(elements.count)")
        }
        var names: [String] = []
        return elements.compactMap { value, path in
            guard let object = ConfigurationObject(value, path: path, keys: Self.botKeys, problems: problems) else { return nil }
            let name = botName(object, others: names)
            names.append(name)
            return bot(object, name: name, apps: apps)
        }
    }

    private func bot(_ object: ConfigurationObject, name: String, apps: [Configuration.App]) -> BotDefinition? {
        let served = servedApps(object, apps)
        let publicURL = publicAddress(object)
        let secrets = botSecrets(object)
        let model: BotModel = object.choice("model")
        let (systemMessage, firstMessage) = (systemMessage(object), firstMessage(object))
        let life = object.integer("ticket_life_seconds")
        let records = object.bool("record_arguments")
        let handOff = botHandOff(object, serving: served, of: apps)
        let functions = botFunctions(object) + [handOff].compactMap(\.self)
        guard !secrets.isEmpty, let systemMessage else { return nil }
        do throws(CryptoError) {
            let bot = try BotDefinition(
                name: name, apps: served, publicURL: publicURL, secrets: secrets, model: model, systemMessage: systemMessage,
                firstMessage: firstMessage, ticketLifetimeSeconds: UInt64(life), recordsArguments: records, functions: functions)
            refuseLongTexts(bot, object)
            return bot
        } catch {
            problems.add(object.path(of: "secret"), "cannot be used: \(error)")
            return nil
        }
    }

    private func botName(_ object: ConfigurationObject, others: [String]) -> String {
        object.require("name", "give the bot a name of 1 to 32 characters, which is a part of its addresses")
        guard let name = object.string("name") else { return "" }
        let path = object.path(of: "name")
        let isName = (1...32).contains(name.utf8.count) && BotText.isName(name) && name == name.lowercased()
        if !isName { problems.add(path, "expected 1 to 32 lower-case letters, digits, \"-\" or \"_\"") }
        if others.contains(name) { problems.add(path, "another bot has this name already") }
        return name
    }

    private func servedApps(_ object: ConfigurationObject, _ known: [Configuration.App]) -> [String] {
        object.require("apps", "list the app_id of each app that the bot serves")
        let elements = object.array("apps")
        if elements?.isEmpty == true { problems.add(object.path(of: "apps"), "expected at least one app_id") }
        var ids: [String] = []
        for (value, path) in elements ?? [] {
            guard case .string(let id) = value else {
                problems.add(path, "expected an app_id, found \(value.kind)")
                continue
            }
            if !known.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) { problems.add(path, "no app of $.apps has this app_id") }
            if ids.contains(where: { $0.utf8.elementsEqual(id.utf8) }) { problems.add(path, "the bot serves this app already") }
            ids.append(id)
        }
        return ids
    }

    /// The public address that the vendor calls, without a slash at the end.
    private func publicAddress(_ object: ConfigurationObject) -> String {
        object.require("public_url", "give the address at which the vendor reaches the public listener, such as https://chat.example.com")
        guard let text = object.string("public_url") else { return "" }
        let plain = "plain http would show tickets to everybody on the way; give an https address"
        return isRight(address: text, at: object.path(of: "public_url"), takesQuery: false, plain: plain) ? Self.base(text) : ""
    }

    private func botSecrets(_ object: ConfigurationObject) -> [StandardWebhookSecret] {
        object.require("secret", "give the secret that signs calls and tickets as \(SecretReader.sources)")
        guard object.value("secret") != nil else { return [] }
        let texts = secretList(object, "secret", read: signingSecret)
        if texts.count > Self.maximumBotSecrets {
            problems.add(object.path(of: "secret"), "expected at most \(Self.maximumBotSecrets) secrets, found \(texts.count)")
        }
        // The mistakes in each secret were reported.
        return texts.compactMap { text in text.withSpan { try? StandardWebhookSecret($0) } }
    }

    private func systemMessage(_ object: ConfigurationObject) -> BotText? {
        object.require("system_message", "describe the model's task, and what it must not do")
        guard let text = object.string("system_message"), let message = botText(text, path: object.path(of: "system_message")) else {
            return nil
        }
        let fields = Set(message.placeholders).subtracting([BotPrompt.userPlaceholder])
        if fields.count > BotPrompt.maximumFields {
            problems.add(
                object.path(of: "system_message"), "expected at most \(BotPrompt.maximumFields) fields in braces, found \(fields.count)")
        }
        return message
    }

    func botText(_ text: String, path: String) -> BotText? {
        do throws(BotText.Problem) {
            if SecretRules.looksLikeSecret(text) { problems.add(path, "a secret must not be here; give \(SecretReader.sources)") }
            return try BotText(text)
        } catch {
            problems.add(path, Self.message(for: error))
            return nil
        }
    }

    /// Describes a mistake in the braces of a text.
    static func message(for problem: BotText.Problem) -> String {
        switch problem {
        case .unpairedBrace: "a brace has no partner; write {{ or }} for a brace itself"
        case .name: "expected a name of 1 to 64 letters, digits, \"-\" or \"_\" between braces; write {{ or }} for a brace itself"
        }
    }

    private func firstMessage(_ bot: ConfigurationObject) -> BotDefinition.FirstMessage? {
        guard let object = bot.object("first_message", keys: Self.botFirstMessageKeys) else { return nil }
        object.require("message", "write the bot's first message, or leave \"first_message\" out")
        let message = object.string("message") ?? ""
        guard let elements = object.array("options") else {
            return BotDefinition.FirstMessage(message: message, options: object.standardTexts("options"))
        }
        if elements.count > QuickReplies.most {
            problems.add(object.path(of: "options"), "expected at most \(QuickReplies.most) quick replies, found \(elements.count)")
        }
        let options = elements.compactMap { value, path -> String? in
            if case .string(let text) = value, !text.isEmpty { return text }
            problems.add(path, "expected a non-empty string, found \(value.kind)")
            return nil
        }
        return BotDefinition.FirstMessage(message: message, options: options)
    }

    /// Rejects texts that the vendor may truncate, or that have no limit.
    private func refuseLongTexts(_ bot: BotDefinition, _ object: ConfigurationObject) {
        let (bound, most) = (BotTokenBound(of: bot), BotTokenBound.most(for: bot.model))
        let (unit, taker, remedy) =
            switch bot.model {
            case .vendor: ("tokens", "the vendor", #", or give "model": "own" if the model is your own"#)
            case .own: ("bytes", "Deskgate", "")
            }
        if bound.prompt > most {
            let parts = bound.parts.prefix(5).map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
            let counted = bot.model == .vendor ? "a token is counted for each byte" : "they are counted"
            problems.add(
                object.path,
                "the model's texts may have up to \(bound.prompt) \(unit), and \(taker) takes \(most); \(counted), with the longest "
                    + "user_id and fields: \(parts); shorten texts, or give each bot fewer functions\(remedy)")
        }
        if bound.firstMessage > most {
            problems.add(
                object.path(of: "first_message"),
                "may have up to \(bound.firstMessage) \(unit), and \(taker) takes \(most); shorten the message or its options\(remedy)")
        }
    }
}
