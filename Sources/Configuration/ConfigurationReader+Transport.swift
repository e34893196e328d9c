internal import JSON
internal import Notifiers

/// How notifiers reach their providers.
extension ConfigurationReader {
    func transport(_ object: ConfigurationObject) -> NotifierTransport {
        NotifierTransport(
            timeoutSeconds: object.integer("timeout_seconds"),
            concurrency: object.integer("concurrency"),
            certificateAuthorities: certificates("certificate_authorities", in: object), proxy: proxy(object))
    }

    /// An address that is there; one that goes through the network in plain text must be allowed.
    /// - Parameter allowsHTTP: what the notifier's `allow_http` says.
    func address(_ key: String, in object: ConfigurationObject, allowsHTTP: Bool) -> String? {
        guard let text = object.string(key) else { return nil }
        let path = object.path(of: key)
        guard let url = DestinationURL(text), url.scheme == "https" || url.scheme == "http" else {
            problems.add(path, "expected an https address with a host, without a user, a password or a fragment")
            return text
        }
        if url.scheme == "http", !url.isLoopback, !allowsHTTP {
            problems.add(path, "plain http leaves this machine unprotected; give an https address, or set \"allow_http\": true beside it")
        }
        return text
    }

    /// The beginning of a provider's addresses: without the slash that those go on with.
    func baseAddress(_ key: String, in object: ConfigurationObject, allowsHTTP: Bool) -> String? {
        guard let text = address(key, in: object, allowsHTTP: allowsHTTP) else { return nil }
        if text.utf8.contains(UInt8(ascii: "?")) {
            problems.add(object.path(of: key), "expected an address without a query, as the provider's paths are added to it")
        }
        return text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    }

    /// A file with certificates in PEM that libcurl reads.
    func certificates(_ key: String, in object: ConfigurationObject) -> PEMFile? {
        let path = object.path(of: key)
        guard let file = object.string(key, "the path of a PEM file"), let bytes = secrets.file(file, at: path, isSecret: false) else {
            return nil
        }
        if !String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") {
            problems.add(path, "expected a file with certificates in PEM")
        }
        return PEMFile(path: secrets.resolve(file), contents: bytes)
    }

    private func proxy(_ object: ConfigurationObject) -> String? {
        guard let text = object.string("proxy") else { return nil }
        guard let url = DestinationURL(text), ["http", "socks5"].contains(url.scheme) else {
            problems.add(object.path(of: "proxy"), "expected an http or socks5 address with a host, without a user or a password")
            return nil
        }
        return text
    }
}
