internal import Crypto

/// The secrets that were read from a configuration so far, so that a secret with two purposes is detected.
final class SeenSecrets {
    private var all: [(path: String, secret: SecretBytes)] = []

    /// Records a secret.
    /// - Returns: the path of the first key with the same secret; nil when there is none.
    func insert(_ secret: SecretBytes, path: String) -> String? {
        defer { all.append((path, secret)) }
        return all.first { $0.secret == secret }?.path
    }
}
