internal import Core
internal import Crypto
internal import JSON

/// The object of an app of Sendbird Desk.
extension ConfigurationReader {
    /// The maximum number of tokens that are compared with one webhook.
    private static let maximumTokensOfOneKind = 4
    private static let maximumBots = 100

    /// Reads the object; nil when the app has none.
    /// - Parameter appID: a part of the default addresses; nil when the app has no valid id.
    func sendbird(_ app: ConfigurationObject, appID: String?) -> Configuration.Sendbird? {
        guard let object = app.object("sendbird", keys: Self.sendbirdKeys) else { return nil }
        let id = appID ?? "APP"
        return Configuration.Sendbird(
            chatTokens: sendbirdTokens(object, "chat_token"), deskTokens: sendbirdTokens(object, "desk_token"),
            chatURL: sendbirdAddress(object, "chat_url", default: "https://api-\(id).sendbird.com"),
            deskURL: sendbirdAddress(object, "desk_url", default: "https://desk-api-\(id).sendbird.com"),
            sessionTokens: object.object("session_tokens", keys: Self.sessionTokenKeys).map { sessionTokens($0) },
            makesURLPreviews: object.bool("url_previews"), servesTickets: object.bool("tickets"),
            ticketFields: fieldKeys(object, "ticket_fields"), customerFields: fieldKeys(object, "customer_fields"),
            relaysRegistrations: object.bool("relay"), botUserIDs: botUserIDs(object))
    }

    /// The maximum number of calls for an app with normal behavior: a sign-in on each of a person's devices, with a few failures.
    static let sessionTokenLimits = [LimitRule(per: .user, max: 10, windowMilliseconds: 60_000)]

    private func sessionTokens(_ object: ConfigurationObject) -> Configuration.SessionTokens {
        Configuration.SessionTokens(
            lifetimeSeconds: UInt64(object.integer("life_seconds")),
            limits: limits(object, scopes: [.user, .app]) ?? object.standard("limits", Self.sessionTokenLimits, as: Self.json))
    }

    /// Rejects an app without a notifier that ends its sessions, or that relays its registrations.
    func requireRelay(_ names: [String], _ known: NamedNotifiers, in app: ConfigurationObject, for sendbird: Configuration.Sendbird?) {
        guard known.areKnown, let sendbird, sendbird.sessionTokens != nil || sendbird.relaysRegistrations else { return }
        guard !names.contains(where: { known.type(of: $0) == .relay(.sendbird) }) else { return }
        let (key, what) =
            sendbird.sessionTokens == nil
            ? ("relay", "which passes registrations on")
            : ("session_tokens", "which ends the tokens of users who are signed out or blocked")
        problems.add(
            "\(app.path(of: "sendbird")).\(key)",
            "the app has no notifier of type \"sendbird\", \(what); add \"sendbird\": {\"type\": \"sendbird\"} to $.notifiers, "
                + "and its name to the app's \"notifiers\"")
    }

    /// Rejects keys of another help desk, which would have no effect, and a missing object of the app's help desk.
    func refuseForeignKeys(_ app: ConfigurationObject, of helpDesk: HelpDeskKind) {
        for other in HelpDeskKind.allCases where other != helpDesk {
            for key in other.ownKeys where app.value(key) != nil {
                problems.add(
                    app.path(of: key),
                    "only apps with \"help_desk\": \"\(other.rawValue)\" have this, and the app belongs to \"\(helpDesk.rawValue)\"; "
                        + "correct \"help_desk\", or remove this")
            }
        }
        if helpDesk == .sendbird {
            app.require(
                "sendbird", "give {\"chat_token\": …, \"desk_token\": …} with the API tokens that Sendbird's dashboard shows")
        }
    }

    /// Rejects notifiers that would relay an app's registrations to another help desk, which does not have the app.
    func refuseForeignRelays(_ names: [String], _ known: NamedNotifiers, in app: ConfigurationObject, of helpDesk: HelpDeskKind) {
        for (index, name) in names.enumerated() {
            guard case .relay(let other)? = known.type(of: name), other != helpDesk else { continue }
            problems.add(
                "\(app.path(of: "notifiers"))[\(index)]",
                "passes registrations on to \"\(other.rawValue)\", and the app belongs to \"\(helpDesk.rawValue)\"; remove it here")
        }
    }

    /// Rejects the id of an app of Sendbird that cannot be part of a path and of a host name.
    /// - Returns: the id, when it is valid.
    func sendbirdID(_ id: String, path: String) -> String? {
        // A label of a host name has at most 63 characters (RFC 1035 section 2.3.4), of which `desk-api-` uses 9.
        if (1...54).contains(id.utf8.count), id.utf8.allSatisfy({ Self.isPartOfLabel($0) }) { return id }
        problems.add(
            path, "expected 1 to 54 letters, digits or \"-\"; give the Application ID that Sendbird's dashboard shows under Overview")
        return nil
    }

    private static func isPartOfLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Parses tokens that are sent in headers, and that verify webhooks.
    private func sendbirdTokens(_ object: ConfigurationObject, _ key: String) -> [SecretBytes] {
        let found = secretList(object, key) { value, path in
            guard let token = secrets.text(value, path: path) else { return nil }
            guard SecretRules.isVisible(token), token.count >= 16 || secrets.allowsInsecure else {
                problems.add(path, "expected at least 16 visible ASCII characters on one line; copy the token from Sendbird's dashboard")
                return nil
            }
            refuseWeakOrShared(token, path: path)
            return token
        }
        if found.count > Self.maximumTokensOfOneKind {
            problems.add(object.path(of: key), "expected at most \(Self.maximumTokensOfOneKind) tokens, found \(found.count)")
        }
        return found
    }

    /// Reads the keys of custom fields that customers may set.
    private func fieldKeys(_ object: ConfigurationObject, _ key: String) -> [String] {
        guard let elements = object.array(key) else { return object.standardTexts(key) }
        if elements.count > TicketField.maximumFields {
            problems.add(object.path(of: key), "expected at most \(TicketField.maximumFields) keys, found \(elements.count)")
        }
        return elements.compactMap { value, path in
            if let text = value.text, TicketField.isKey(text) { return text }
            problems.add(path, "expected the key of a custom field of \(TicketField.keyGrammar)")
            return nil
        }
    }

    /// Parses the user ids of bots. An empty list means that there are none.
    private func botUserIDs(_ object: ConfigurationObject) -> [String]? {
        guard let elements = object.array("bot_user_ids") else { return nil }
        if elements.count > Self.maximumBots {
            problems.add(object.path(of: "bot_user_ids"), "expected at most \(Self.maximumBots) user ids, found \(elements.count)")
        }
        return elements.compactMap { value, path in
            if let id = value.text, FieldGrammar.problem(ofUserID: id.utf8.span) == nil { return id }
            problems.add(
                path, "expected a user id of 1 to \(FieldGrammar.longestUserID) UTF-16 code units without control characters")
            return nil
        }
    }

    private func sendbirdAddress(_ object: ConfigurationObject, _ key: String, default standard: String) -> String {
        guard let text = object.string(key) else { return object.standard(key, standard) }
        return isRight(address: text, at: object.path(of: key), takesQuery: false, takesPath: false) ? Self.base(text) : standard
    }
}
