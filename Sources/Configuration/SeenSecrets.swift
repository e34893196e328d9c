internal import Crypto

/// The secrets that a configuration has named so far, so that none serves two purposes.
final class SeenSecrets {
    private var all: [(path: String, secret: SecretBytes)] = []

    /// Notes a secret.
    /// - Returns: the path of the first place that has the same one.
    func insert(_ secret: SecretBytes, path: String) -> String? {
        defer { all.append((path, secret)) }
        return all.first { $0.secret == secret }?.path
    }
}
