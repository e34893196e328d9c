internal import Crypto
internal import JSON
internal import Notifiers

/// The credential for Apple: a key with its ids, or a certificate.
extension ConfigurationReader {
    func apns(_ object: ConfigurationObject, _ allowsHTTP: Bool) -> APNsDestination? {
        let url = baseAddress("url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("url")
        let sandboxURL =
            baseAddress("sandbox_url", in: object, allowsHTTP: allowsHTTP) ?? object.standard("sandbox_url")
        let topic = word(
            "topic", in: object, missing: "the app's bundle identifier, such as com.example.chat",
            expectation: "a bundle identifier such as com.example.chat")
        let credential = object.value("certificate") == nil ? apnsToken(object) : apnsCertificate(object)
        guard let topic, let credential else { return nil }
        return APNsDestination(credential: credential, topic: topic, url: url, sandboxURL: sandboxURL)
    }

    private func apnsToken(_ object: ConfigurationObject) -> APNsDestination.Credential? {
        let keyID = identifier(
            "key_id", of: "the key, which Apple shows beside it under Certificates, Identifiers & Profiles, Keys", object)
        let teamID = identifier("team_id", of: "the team, which Apple shows under Membership details", object)
        let path = object.path(of: "key")
        guard let text = secrets.text(object.value("key"), path: path) else { return nil }
        do throws(KeyProblem) {
            _ = try text.withSpan { span throws(KeyProblem) in try ES256PrivateKey(pem: span) }
        } catch {
            problems.add(path, "the key \(error)")
            return nil
        }
        guard let keyID, let teamID else { return nil }
        return .token(key: text, keyID: keyID, teamID: teamID)
    }

    private func identifier(_ key: String, of owner: String, _ object: ConfigurationObject) -> String? {
        word(
            key, in: object, missing: "the identifier of \(owner); with a certificate give \"certificate\" instead",
            expectation: "10 letters and digits", isRight: Self.isIdentifier)
    }

    private func apnsCertificate(_ object: ConfigurationObject) -> APNsDestination.Credential? {
        let lacksKey = object.value("key") == nil
        let remedy = #"; Apple's .p8 goes into "key", with "key_id" and "team_id", without "certificate""#
        let certificate = certificates("certificate", in: object, remedyOfKey: lacksKey ? remedy : "")
        if lacksKey, let text = certificate?.text, text.contains("PRIVATE KEY-----"), !text.contains("-----BEGIN CERTIFICATE-----") {
            return nil
        }
        for key in ["key_id", "team_id"] where object.value(key) != nil {
            problems.add(object.path(of: key), "belongs to a .p8 key; remove it, or remove \"certificate\"")
        }
        let key = certificateKey(object)
        guard let certificate, let key else { return nil }
        return pair(certificate.text, key.text, in: object).map { _ in .certificate(certificate, key: key) }
    }

    /// Returns the certificate's private key, which must be a file, because libcurl reads it.
    private func certificateKey(_ object: ConfigurationObject) -> PEMFile? {
        let path = object.path(of: "key")
        object.require("key", "give {\"file\": \"PATH\"}, the private key of \"certificate\" in PEM")
        guard let value = object.value("key") else { return nil }
        guard case .object = value else {
            problems.add(path, "expected {\"file\": \"PATH\"}, found \(value.kind)")
            return nil
        }
        guard let source = ConfigurationObject(value, path: path, keys: [.live("file", .path())], problems: problems) else { return nil }
        guard let file = source.string("file") else {
            if source.value("file") == nil { problems.add(path, "give {\"file\": \"PATH\"}; the key of a certificate must be a file") }
            return nil
        }
        return secrets.file(file, at: source.path(of: "file")).map { PEMFile(path: secrets.resolve(file), contents: $0) }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { SecretRules.isUnreserved($0) && !Array("-._~".utf8).contains($0) }
    }
}
