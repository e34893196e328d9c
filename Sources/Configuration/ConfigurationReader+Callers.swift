internal import Bytes
internal import Crypto
internal import HTTPServer
internal import JSON

/// Restrictions on callers of the public listener. Adding the first one needs a restart, so that a service without one checks nothing on
/// requests; other changes need a reload only.
extension ConfigurationReader {
    private static let maximumNetworks = 1000
    private static let maximumSharedSecrets = 8
    private static let longestSharedSecret = 512
    private static let exampleNetworks = "192.0.2.0/24 or 2001:db8::/32; one address is 192.0.2.7/32"

    /// Headers with a meaning in HTTP, Deskgate or a help desk, in lower case; a request's id is even logged.
    private static let takenHeaders =
        [
            "connection", "content-length", "content-type", "expect", "host", "transfer-encoding", "upgrade", "x-request-id",
        ] + HelpDeskKind.allCases.flatMap(\.signatureHeaders)

    func callers(_ listen: ConfigurationObject, clientAuthorities: ClientAuthorities?) -> Configuration.Callers {
        Configuration.Callers(
            networks: listen.inForce("allow", listen.value("allow") != nil) ? networks(listen) : nil,
            clientAuthorities: clientAuthorities, sharedHeader: sharedHeader(listen), trustedProxies: trustedProxies(listen))
    }

    /// Reads the authorities of callers' certificates from the public listener's TLS section.
    func clientAuthorities(_ tls: ConfigurationObject) -> ClientAuthorities? {
        let path = tls.path(of: "client_authorities")
        guard tls.inForce("client_authorities", tls.value("client_authorities") != nil),
            let file = tls.string("client_authorities", "the path of a PEM file"),
            let bytes = secrets.file(file, at: path, isSecret: false)
        else { return nil }
        let authorities = String(validating: bytes, as: UTF8.self).flatMap { ClientAuthorities($0) }
        if authorities == nil { problems.add(path, "expected a file with certificates in PEM") }
        return authorities
    }

    private func networks(_ listen: ConfigurationObject) -> [IPNetwork]? {
        guard let elements = networkList(listen, "allow") else { return nil }
        return elements.compactMap { network($0.value, $0.path) }
    }

    private func networkList(_ listen: ConfigurationObject, _ key: String) -> [(value: JSONValue, path: String)]? {
        guard let elements = listen.array(key) else { return nil }
        if elements.isEmpty { problems.add(listen.path(of: key), "expected at least one network, such as \(Self.exampleNetworks)") }
        if elements.count > Self.maximumNetworks {
            problems.add(listen.path(of: key), "expected at most \(Self.maximumNetworks) networks, found \(elements.count)")
        }
        return elements
    }

    /// Parses the networks of the proxies; `unix` stands for those on the Unix socket.
    private func trustedProxies(_ listen: ConfigurationObject) -> TrustedProxies? {
        guard let elements = networkList(listen, "trusted_proxies") else { return nil }
        var includeUnixSocket = false
        let found = elements.compactMap { value, path -> IPNetwork? in
            if case .string("unix") = value {
                includeUnixSocket = true
                return nil
            }
            guard let network = network(value, path) else { return nil }
            if network.isEverything { problems.add(path, "every caller would be believed; give the addresses of the proxies alone") }
            return network
        }
        return TrustedProxies(networks: found, includeUnixSocket: includeUnixSocket)
    }

    private func network(_ value: JSONValue, _ path: String) -> IPNetwork? {
        guard case .string(let text) = value else {
            problems.add(path, "expected a network such as \(Self.exampleNetworks), found \(value.kind)")
            return nil
        }
        do throws(IPNetwork.Problem) {
            return try IPNetwork(text)
        } catch {
            switch error {
            case .malformed: problems.add(path, "expected a network such as \(Self.exampleNetworks)")
            case .hostBits(let network): problems.add(path, "the address has bits beyond the prefix; the network is \(network)")
            }
            return nil
        }
    }

    private func sharedHeader(_ listen: ConfigurationObject) -> Configuration.SharedHeader? {
        guard let object = listen.object("shared_header", keys: Self.sharedHeaderKeys) else { return nil }
        object.require("name", "give the header's name, such as X-Shared-Secret")
        let name = object.string("name")
        if let name, !Self.isHeaderName(name) {
            problems.add(object.path(of: "name"), "expected a header's name, such as X-Shared-Secret")
        } else if let name, Self.takenHeaders.contains(name.lowercased()) {
            problems.add(object.path(of: "name"), "this header has a meaning of its own; give another one, such as X-Shared-Secret")
        }
        let found = secretList(object, "secret") { value, path in sharedSecret(value, path) }
        if found.count > Self.maximumSharedSecrets {
            problems.add(object.path(of: "secret"), "expected at most \(Self.maximumSharedSecrets) secrets, found \(found.count)")
        }
        return Configuration.SharedHeader(name: name ?? "", secrets: found)
    }

    private func sharedSecret(_ value: JSONValue?, _ path: String) -> SecretBytes? {
        guard let secret = secrets.text(value, path: path, from: .own) else { return nil }
        // Leading and trailing spaces of a header's value are removed in transit, and other bytes may be changed.
        guard SecretRules.isVisible(secret), secret.count >= 16 || secrets.allowsInsecure, secret.count <= Self.longestSharedSecret else {
            problems.add(path, "expected 16 to \(Self.longestSharedSecret) visible ASCII characters; \(SecretHint.finding(secret))")
            return nil
        }
        refuseWeakOrShared(secret, path: path)
        return secret
    }

    /// Whether a text is a token of RFC 9110 section 5.6.2, of at most 100 characters.
    static func isHeaderName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(character)
                }
            }
    }
}
