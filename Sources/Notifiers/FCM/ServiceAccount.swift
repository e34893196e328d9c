package import Crypto
package import JSON

/// The required members of a Google service account's key file ("Create and delete service account keys", type JSON).
package struct ServiceAccount: Sendable {
    /// The reason why a key file cannot be used; it contains no part of the file.
    package enum Problem: Error, Equatable {
        /// The file is PEM, as keys for APNs are.
        case pem
        /// The file is not strict JSON.
        case notJSON(JSONError)
        /// The file is another JSON document: `type` is not `service_account`.
        case notServiceAccount
        /// A field is missing, empty or not a string.
        case missing(field: String)
        case invalid(field: String)
        /// `private_key` is not an RSA key that can sign.
        case key(KeyProblem)
        /// `token_uri` is neither https nor on this machine.
        case insecureTokenURI
    }

    package let projectID: String
    /// The account's name: the issuer of its assertions.
    package let clientEmail: String
    package let privateKeyID: String
    /// The address at which assertions are exchanged for access tokens.
    package let tokenURI: String
    /// The key. The JSON reader's copy of its text is freed but not overwritten.
    package let privateKey: RS256PrivateKey

    /// Parses a key file; the caller keeps the bytes, and must overwrite them. Throws the first fault.
    package init(parsing text: Span<UInt8>) throws(Problem) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text)
        } catch {
            throw text.text.hasPrefix("-----BEGIN ") ? .pem : .notJSON(error)
        }
        guard let type = try? Self.text("type", in: document), type == "service_account" else { throw .notServiceAccount }
        projectID = try Self.text("project_id", in: document)
        clientEmail = try Self.text("client_email", in: document)
        privateKeyID = try Self.text("private_key_id", in: document)
        tokenURI = try Self.text("token_uri", in: document)
        guard Self.isProject(projectID) else { throw .invalid(field: "project_id") }
        guard clientEmail.utf8.contains(UInt8(ascii: "@")), Self.isVisible(clientEmail) else { throw .invalid(field: "client_email") }
        guard Self.isVisible(privateKeyID) else { throw .invalid(field: "private_key_id") }
        try Self.check(tokenURI: tokenURI)
        privateKey = try Self.key(in: document)
    }

    private static func text(_ field: StaticString, in document: borrowing JSONDocument) throws(Problem) -> String {
        var text = ""
        do throws(JSONFieldError) {
            try document.withString(field) { bytes in text = bytes.text }
        } catch {
            throw .missing(field: "\(field)")
        }
        guard !text.isEmpty else { throw .missing(field: "\(field)") }
        return text
    }

    private static func key(in document: borrowing JSONDocument) throws(Problem) -> RS256PrivateKey {
        var result: Result<RS256PrivateKey, KeyProblem>?
        do throws(JSONFieldError) {
            result = try document.withString("private_key") { bytes in
                if bytes.isEmpty { return nil }
                do throws(KeyProblem) { return .success(try RS256PrivateKey(pem: bytes)) } catch { return .failure(error) }
            }
        } catch {
            throw .missing(field: "private_key")
        }
        guard let result else { throw .missing(field: "private_key") }
        do throws(KeyProblem) { return try result.get() } catch { throw .key(error) }
    }

    /// Letters, digits and `-`, in older projects after a domain and a colon: no character that would end a URL's path.
    private static func isProject(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"): true
            default: false
            }
        }
    }

    private static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// An assertion is a credential, so it must use TLS or stay on this machine.
    private static func check(tokenURI: String) throws(Problem) {
        guard isVisible(tokenURI), !tokenURI.utf8.contains(UInt8(ascii: "@")) else { throw .invalid(field: "token_uri") }
        if tokenURI.hasPrefix("https://"), tokenURI.utf8.count > 8 { return }
        guard tokenURI.hasPrefix("http://") else { throw .invalid(field: "token_uri") }
        let host = tokenURI.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let isLoopback = ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
        guard isLoopback else { throw .insecureTokenURI }
    }
}

extension ServiceAccount.Problem: CustomStringConvertible {
    private static let source =
        "make one in the Firebase console under Project settings, Service accounts, Generate new private key"

    /// The reason and the remedy, worded as the end of a sentence that begins with the file's name.
    package var description: String {
        switch self {
        case .pem: "is PEM, as keys for APNs are: \(Self.source)"
        case .notJSON(let error): "is not JSON: \(error)"
        case .notServiceAccount:
            "is not a service account's key: \(Self.source)"
        case .missing(let field): "has no text in \(field): give the file as it was downloaded"
        case .invalid(let field): "has a malformed \(field): give the file as it was downloaded"
        case .key(let problem): "has a private_key that \(problem)"
        case .insecureTokenURI: "has a token_uri that is not https: give the file as it was downloaded"
        }
    }
}

extension Span<UInt8> {
    fileprivate var text: String {
        String(decoding: indices.map { self[$0] }, as: UTF8.self)
    }
}
