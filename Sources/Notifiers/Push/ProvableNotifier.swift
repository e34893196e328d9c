package import Core

/// A notifier whose credential can be tried without anybody seeing anything.
package protocol ProvableNotifier: Notifier {
    /// Has the provider judge the credential.
    /// - Parameter completion: called exactly once, on any thread, and must not block: `delivered` when the credential is good, else what a
    ///   delivery would come to.
    func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension ProvableNotifier {
    /// A minute: settings are mended at the provider's as often as here.
    package var probeAfterMilliseconds: UInt64? { 60_000 }
}
