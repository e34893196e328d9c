/// The reason why a caller of the public listener is refused before its request is read; the raw value is shown in the log and the metric.
package enum CallerRefusal: String, Sendable, CaseIterable {
    /// The address is in none of the networks of `listen.allow`.
    case network
    /// A trusted proxy does not report the client's address.
    case forwarded
    /// It has shown no client certificate, or one that is not trusted.
    case certificate
    /// It has not sent the shared header with one of the secrets.
    case header
}
