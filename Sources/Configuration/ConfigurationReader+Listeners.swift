internal import Crypto
internal import HTTPServer
internal import JSON

/// The two listeners.
extension ConfigurationReader {
    func listen(_ object: ConfigurationObject?) -> Configuration.Listener {
        var listener = listener(object, defaultPort: 8080, defaultConnections: 10_000)
        // At least a few of the largest bodies.
        let megabytes = object?.integer("bodies_megabytes", 4...65_536, default: 64) ?? 64
        listener.settings.bodyMemory = megabytes * 1024 * 1024
        return listener
    }

    private func listener(_ object: ConfigurationObject?, defaultPort: UInt16, defaultConnections: Int) -> Configuration.Listener {
        guard let object else {
            return Configuration.Listener(
                address: .tcp(host: "127.0.0.1", port: defaultPort), settings: ServerSettings(connectionLimit: defaultConnections))
        }
        let settings = ServerSettings(
            connectionLimit: object.integer("max_connections", 1...1_000_000, default: defaultConnections),
            idleTimeoutSeconds: object.integer("idle_timeout_seconds", 1...3600, default: 60),
            requestTimeoutMilliseconds: object.integer("request_timeout_seconds", 1...3600, default: 30) * 1000,
            tls: object.object("tls", keys: ConfigurationKeys.tls).flatMap(identity))
        return Configuration.Listener(address: address(object, defaultPort: defaultPort), settings: settings)
    }

    func admin(_ object: ConfigurationObject?) -> Configuration.Admin {
        let listener = listener(object, defaultPort: 9090, defaultConnections: 1000)
        let needsToken = object?.bool("metrics_need_token", default: false) ?? false
        guard let object, let value = object.value("token") else {
            if let object, needsToken { problems.add(object.path(of: "token"), "missing, and \"metrics_need_token\" is true") }
            return Configuration.Admin(listener: listener, token: nil, metricsNeedToken: needsToken)
        }
        let token = token(value, path: object.path(of: "token"))
        return Configuration.Admin(listener: listener, token: token, metricsNeedToken: needsToken)
    }

    private func token(_ value: JSONValue, path: String) -> SecretBytes? {
        guard let token = secrets.text(value, path: path) else { return nil }
        if SecretRules.isUsableToken(token) || secrets.allowsInsecure {
            refuseWeakOrShared(token, path: path)
        } else {
            problems.add(path, "expected at least 32 visible ASCII characters; make one with: deskgate secret new")
        }
        return token
    }

    private func identity(_ object: ConfigurationObject) -> TLSIdentity? {
        guard let certificate = pem("certificate", in: object, isSecret: false), let key = pem("key", in: object, isSecret: true) else {
            return nil
        }
        switch CertificatePair.problem(certificate: certificate, key: key) {
        case nil: return TLSIdentity(certificate: certificate, key: key)
        case .unreadableCertificate: problems.add(object.path(of: "certificate"), "expected a certificate in PEM")
        case .unreadableKey: problems.add(object.path(of: "key"), "expected a private key in PEM, without a passphrase")
        case .mismatch: problems.add(object.path(of: "key"), "the private key does not belong to the certificate")
        }
        return nil
    }

    private func pem(_ key: String, in object: ConfigurationObject, isSecret: Bool) -> String? {
        let path = object.path(of: key)
        guard let file = object.string(key) else {
            if object.value(key) == nil { problems.add(path, "missing; give the path of a PEM file") }
            return nil
        }
        guard let bytes = secrets.file(file, at: path, isSecret: isSecret) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.starts(with: "-----BEGIN ".utf8) else {
            problems.add(path, "expected a PEM file, which starts with -----BEGIN")
            return nil
        }
        return text
    }
}
