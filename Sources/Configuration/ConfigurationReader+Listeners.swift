internal import Crypto
internal import HTTPServer
internal import JSON

extension ConfigurationReader {
    func listen(_ object: ConfigurationObject) -> Configuration.Listener {
        let tls = object.object("tls", keys: Self.publicTLSKeys)
        var listener = listener(object, tls: tls)
        listener.settings.clientAuthorities = tls.flatMap(clientAuthorities)
        let megabytes = object.integer("bodies_megabytes")
        listener.settings.bodyMemory = megabytes * 1024 * 1024
        return listener
    }

    private func listener(_ object: ConfigurationObject, tls: ConfigurationObject?) -> Configuration.Listener {
        let settings = ServerSettings(
            connectionLimit: object.integer("max_connections"),
            idleTimeoutSeconds: object.integer("idle_timeout_seconds"),
            requestTimeoutMilliseconds: object.integer("request_timeout_seconds") * 1000,
            tls: tls.flatMap(identity))
        return Configuration.Listener(address: address(object), settings: settings)
    }

    func admin(_ object: ConfigurationObject) -> Configuration.Admin {
        let admin = Configuration.Admin(
            listener: listener(object, tls: object.object("tls", keys: Self.tlsKeys)),
            tokens: tokens(object),
            metricsNeedToken: object.bool("metrics_need_token"))
        refuseUnreadableMetrics(admin, object)
        return admin
    }

    private func identity(_ object: ConfigurationObject) -> TLSIdentity? {
        let certificate = pem("certificate", in: object, isSecret: false)
        let key = pem("key", in: object, isSecret: true)
        guard let certificate, let key else { return nil }
        return pair(certificate, key, in: object).map { TLSIdentity(certificate: $0.certificates, key: $0.key) }
    }

    /// Reads certificates and their key, both in PEM.
    func pair(_ certificates: String, _ key: String, in object: ConfigurationObject) -> (certificates: String, key: String)? {
        do throws(CertificatePair.Problem) {
            return try CertificatePair.read(certificates: certificates, key: key)
        } catch {
            switch error {
            case .unreadableCertificate:
                problems.add(
                    object.path(of: "certificate"),
                    "expected a certificate in PEM" + FoundCredential.hint(in: certificates, expected: "CERTIFICATE"))
            case .unreadableKey:
                problems.add(
                    object.path(of: "key"),
                    "expected a private key in PEM, without a passphrase" + FoundCredential.hint(in: key, expected: "PRIVATE KEY"))
            case .mismatch: problems.add(object.path(of: "key"), "the private key does not belong to the certificate")
            case .wrongOrder(let place, let count):
                problems.add(
                    object.path(of: "certificate"),
                    "the chain is not in order: the private key belongs to certificate \(place) of \(count), which must come first, "
                        + "followed by the one that has signed it, and so on")
            }
            return nil
        }
    }

    private func pem(_ key: String, in object: ConfigurationObject, isSecret: Bool) -> String? {
        let path = object.path(of: key)
        object.require(key, "give the path of a PEM file")
        guard let file = object.string(key, "the path of a PEM file"),
            let bytes = secrets.file(file, at: path, isSecret: isSecret)
        else { return nil }
        // Text before a block may have any encoding.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN ") else {
            let hint = FoundCredential.hint(in: bytes, isSecret: isSecret)
            problems.add(path, "expected a PEM file, with lines that begin with -----BEGIN and -----END\(hint)")
            return nil
        }
        return PEMText.restored(text)
    }

    func address(_ object: ConfigurationObject) -> ListenAddress {
        if let path = object.string("unix") {
            for key in ["host", "port"] where object.value(key) != nil {
                problems.add(object.path(of: key), "give \"unix\" or \"host\" and \"port\", not both")
            }
            return .unix(path: object.inForce("unix", socketPath(path, at: object.path(of: "unix"))))
        }
        let host = object.inForce("host", object.string("host") ?? object.standard("host"))
        return .tcp(host: host, port: UInt16(object.integer("port")))
    }

    /// Rejects listeners with the same address, of which the second could not start.
    func refuseSharedAddress(_ listen: ListenAddress, _ admin: ListenAddress) {
        guard listen.overlaps(admin) else { return }
        switch admin {
        case .tcp: problems.add("$.admin.port", "\(admin) is taken by $.listen, which has \(listen); give one of them another port")
        case .unix: problems.add("$.admin.unix", "$.listen has this socket already; give one of them another path")
        }
    }

    private func socketPath(_ path: String, at place: String) -> String {
        guard let resolved = secrets.madePath(path, at: place) else { return path }
        if resolved.utf8.count > ListenAddress.longestSocketPath {
            problems.add(
                place,
                "expected at most \(ListenAddress.longestSocketPath) bytes, which is all that the path of a Unix socket may have; "
                    + "found \(resolved.utf8.count) from the configuration's directory on")
        }
        return resolved
    }
}
