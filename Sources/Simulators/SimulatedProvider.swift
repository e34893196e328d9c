/// A provider that is simulated, each on a port of its own.
package enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple's production environment.
    case apns
    /// Apple's sandbox.
    case apnsSandbox = "apns-sandbox"
    /// Firebase Cloud Messaging, with Google's OAuth.
    case fcm
    /// Huawei's Push Kit, with its OAuth.
    case hms
    /// RuStore.
    case rustore
}
