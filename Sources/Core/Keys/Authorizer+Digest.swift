internal import Bytes
internal import Crypto

extension Authorizer {
    /// Separates these digests from security keys (domain separation).
    private static let label: StaticString = "deskgate/keys/v1"

    /// Computes `keysDigest`. The apps and their keys must be sorted by id.
    static func digest(of applications: [Application]) throws(CryptoError) -> String {
        var bytes: [UInt8] = []
        for application in applications {
            bytes += "\(application.id.count) \(application.keys.count) ".utf8
            bytes += application.id
            for key in application.keys {
                bytes += "\(key.id) \(key.state.rawValue) \(key.notAfter.map { "\($0)" } ?? "-") ".utf8
                let code = try key.secret.code { message throws(CryptoError) in try message.append(label) }
                for index in code.indices { bytes.append(code[index]) }
            }
        }
        let digest = try sha256(bytes.span)
        return Hexadecimal.text(digest.span.extracting(..<8))
    }
}
