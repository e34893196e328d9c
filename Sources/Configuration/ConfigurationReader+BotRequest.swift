internal import Core
internal import Crypto
internal import JSON

/// The request to the company's backend of a chatbot's function.
extension ConfigurationReader {
    private static let maximumBotHeaders = 20
    private static let longestBotHeader = 4096

    /// Headers that Deskgate writes itself, or that affect message framing, in addition to all that begin with `webhook-`.
    private static let ownBotHeaders =
        ownHeaders + [
            "accept", "accept-encoding", "idempotency-key", "keep-alive", "proxy-authorization", "proxy-connection", "traceparent",
            "tracestate",
            "user-agent",
        ]

    func botRequest(_ function: ConfigurationObject, _ parameters: BotParameters) -> BotRequest? {
        function.require("request", "give {\"method\": \"GET\", \"url\": \"https://shop.example.com/orders\"}")
        guard let object = function.object("request", keys: Self.botRequestKeys) else { return nil }
        object.require("method", "give \"GET\" for a function that changes nothing, otherwise \"POST\", \"PUT\", \"PATCH\" or \"DELETE\"")
        object.require("url", "give the address to call, such as https://shop.example.com/orders/{order_id}")
        let method = object.value("method").map { _ in object.choice("method", default: BotMethod.post) }
        let url = botURL(object, parameters)
        let headers = botHeaders(object, parameters)
        let timeout = object.timeLimit("timeout_ms")
        guard let method, let url else { return nil }
        return BotRequest(method: method, url: url, headers: headers, timeoutMilliseconds: timeout)
    }

    private func botURL(_ object: ConfigurationObject, _ parameters: BotParameters) -> BotURLTemplate? {
        guard let text = object.string("url") else { return nil }
        let path = object.path(of: "url")
        do throws(BotURLTemplate.Problem) {
            let template = try BotURLTemplate(text)
            guard isRight(address: template.sample, at: path) else { return nil }
            for name in Set(template.placeholders).sorted() { parameters.check(placeholder: name, path: path, problems) }
            return template
        } catch {
            // Braces are allowed here.
            let rest = text.filter { !"{}".contains($0) }
            if error != .malformed || isRight(address: rest, at: path) { problems.add(path, Self.message(for: error)) }
            return nil
        }
    }

    private static func message(for problem: BotURLTemplate.Problem) -> String {
        switch problem {
        case .malformed: "expected an https address with a host, without a user, a password or a fragment"
        case .misplaced(let name):
            "{\(name)} is not allowed here: only segments of the path and values of the query, as after \"?lang=\", may be filled in"
        case .dotSegment: "expected a path without \".\" and \"..\""
        case .text(let problem): message(for: problem)
        }
    }

    private func botHeaders(_ request: ConfigurationObject, _ parameters: BotParameters) -> [BotRequest.Header] {
        let path = request.path(of: "headers")
        guard let value = request.value("headers") else { return [] }
        guard case .object(let members) = value else {
            problems.add(path, "expected an object with a text or {\"file\": \"PATH\"} for each name, found \(value.kind)")
            return []
        }
        if members.members.count > Self.maximumBotHeaders {
            problems.add(path, "expected at most \(Self.maximumBotHeaders) headers, found \(members.members.count)")
        }
        var names: Set<String> = []
        return members.members.compactMap { member in
            let path = "\(path).\(printable(member.key))"
            let name = member.key.lowercased()
            guard Self.isHeaderName(name), !Self.ownBotHeaders.contains(name), !name.hasPrefix("webhook-") else {
                problems.add(path, "expected the name of a header that Deskgate does not write itself")
                return nil
            }
            if !names.insert(name).inserted { problems.add(path, "the same header occurs before") }
            return botHeader(member.value, named: name, path: path, parameters: parameters).map {
                BotRequest.Header(name: member.key, value: $0)
            }
        }
    }

    /// Parses a text with placeholders, or a secret if the name of the header suggests one.
    private func botHeader(_ value: JSONValue, named name: String, path: String, parameters: BotParameters) -> BotHeaderValue? {
        noteHeader(value, path)
        if case .string(let inline) = value, !Self.containsSecretWord(name) {
            guard let text = botText(inline, path: path) else { return nil }
            guard Self.isHeaderText(inline.utf8.span) else {
                problems.add(path, Self.headerExpectation)
                return nil
            }
            for name in Set(text.placeholders).sorted() { parameters.check(placeholder: name, path: path, problems) }
            return .text(text)
        }
        guard let secret = secrets.text(value, path: path) else { return nil }
        guard secret.withSpan({ Self.isHeaderText($0) }) else {
            problems.add(path, Self.headerExpectation)
            return nil
        }
        return .secret(secret)
    }

    private static let headerExpectation = "expected 1 to \(longestBotHeader) visible ASCII characters and inner spaces"

    /// Leading and trailing spaces are removed in transit (RFC 9110 section 5.5).
    private static func isHeaderText(_ text: Span<UInt8>) -> Bool {
        (1...longestBotHeader).contains(text.count) && text.indices.allSatisfy { (0x20..<0x7F).contains(text[$0]) } && text[0] != 0x20
            && text[text.count - 1] != 0x20
    }
}
