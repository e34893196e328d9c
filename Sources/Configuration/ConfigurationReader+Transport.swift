internal import JSON
internal import Notifiers

extension ConfigurationReader {
    func transport(_ object: ConfigurationObject) -> NotifierTransport {
        NotifierTransport(
            timeoutSeconds: object.integer("timeout_seconds"),
            concurrency: object.integer("concurrency"),
            certificateAuthorities: certificates("certificate_authorities", in: object), proxy: proxy(object))
    }

    /// Parses a required address; one that sends plain text through the network must be allowed.
    /// - Parameter allowsHTTP: the notifier's `allow_http`.
    func address(_ key: String, in object: ConfigurationObject, allowsHTTP: Bool, isBase: Bool = false) -> String? {
        guard let text = object.string(key) else { return nil }
        let plain = allowsHTTP ? nil : "\(Self.plainHTTP), or set \"allow_http\": true beside it"
        _ = isRight(address: text, at: object.path(of: key), takesQuery: !isBase, takesPath: !isBase, plain: plain)
        return text
    }

    func baseAddress(_ key: String, in object: ConfigurationObject, allowsHTTP: Bool) -> String? {
        address(key, in: object, allowsHTTP: allowsHTTP, isBase: true).map(Self.base)
    }

    /// A file with certificates in PEM that libcurl reads.
    /// - Parameter remedyOfKey: the end of the error for a file with a private key instead.
    func certificates(_ key: String, in object: ConfigurationObject, remedyOfKey: String = "") -> PEMFile? {
        let path = object.path(of: key)
        guard let file = object.string(key, "the path of a PEM file"), let bytes = secrets.file(file, at: path, isSecret: false) else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if !text.contains("-----BEGIN CERTIFICATE-----") {
            let hint = FoundCredential.hint(in: text, expected: "CERTIFICATE")
            let remedy = text.contains("PRIVATE KEY-----") ? remedyOfKey : ""
            problems.add(path, "expected a file with certificates in PEM\(hint)\(remedy)")
        }
        return PEMFile(path: secrets.resolve(file), contents: bytes)
    }

    private func proxy(_ object: ConfigurationObject) -> String? {
        guard let text = object.string("proxy") else { return nil }
        return isRight(address: text, at: object.path(of: "proxy"), schemes: ["http", "socks5"], plain: nil) ? text : nil
    }
}
