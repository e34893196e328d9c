internal import Crypto
internal import JSON
internal import Notifiers

extension ConfigurationReader {
    /// Headers that the exporter writes itself, or that affect message framing.
    static let ownHeaders = [
        "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
    /// Parts of header names that suggest a secret.
    private static let secretWords = ["auth", "key", "token", "secret", "cookie", "password"]

    /// nil when no traces are exported.
    func traces(_ traces: ConfigurationObject) -> Configuration.TraceExport? {
        guard let object = traces.object("otlp", keys: Self.otlpKeys) else { return nil }
        object.require("url", "give the collector's address for traces, such as https://collector.example.com:4318/v1/traces")
        return Configuration.TraceExport(
            url: address("url", in: object, allowsHTTP: object.bool("allow_http")) ?? "", headers: headers(object),
            sampleRatio: object.number("sample_ratio"), isParentBased: object.bool("parent_based"),
            timeoutSeconds: object.integer("timeout_seconds"),
            certificateAuthorities: certificates("certificate_authorities", in: object))
    }

    private func headers(_ object: ConfigurationObject) -> [Configuration.TraceExport.Header] {
        let path = object.path(of: "headers")
        guard let value = object.value("headers") else { return [] }
        guard case .object(let members) = value else {
            problems.add(path, "expected an object with a text or {\"file\": \"PATH\"} for each name, found \(value.kind)")
            return []
        }
        var headers: [Configuration.TraceExport.Header] = []
        for member in members.members {
            let path = "\(path).\(printable(member.key))"
            let name = member.key.lowercased()
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte), !Self.ownHeaders.contains(name) else {
                problems.add(path, "expected the name of a header that Deskgate does not write itself")
                continue
            }
            if headers.contains(where: { $0.name.lowercased() == name }) { problems.add(path, "the same header occurs before") }
            guard let text = headerValue(member.value, named: name, path: path) else { continue }
            headers.append(Configuration.TraceExport.Header(name: member.key, value: text))
        }
        return headers
    }

    /// Parses a text, or a secret if the name of the header suggests one.
    private func headerValue(_ value: JSONValue, named name: String, path: String) -> SecretBytes? {
        noteHeader(value, path)
        let text: SecretBytes?
        if case .string(let inline) = value, !Self.containsSecretWord(name) {
            text = SecretBytes(copying: inline.utf8.span)
        } else {
            text = secrets.text(value, path: path)
        }
        guard let text else { return nil }
        let isSendable = text.withSpan { bytes in bytes.indices.allSatisfy { (0x20..<0x7F).contains(bytes[$0]) } && !bytes.isEmpty }
        if !isSendable { problems.add(path, "expected visible ASCII characters and spaces") }
        return text
    }

    /// Records the value of a header. A text is masked, whatever the header's name, as it may be a secret. It is recorded separately,
    /// because beside a secret, whose own key is recorded, the list of headers is not shown as a whole.
    func noteHeader(_ value: JSONValue, _ path: String) {
        guard case .string = value else { return }
        problems.settings.note(path, value: value, origin: .file)
        problems.hidden.paths.insert(path)
    }

    /// Whether the name of a header suggests that its value is a secret.
    /// - Parameter name: in lower case.
    static func containsSecretWord(_ name: String) -> Bool { secretWords.contains { name.contains($0) } }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
