/// The reason for rejecting a caller of the public listener before its request is read. The raw value appears in the log and the metric.
package enum CallerRefusal: String, Sendable, CaseIterable {
    /// The address does not belong to any network of `listen.allow`.
    case network
    /// A trusted proxy does not report the caller's address.
    case forwarded
    /// The client certificate is missing or not trusted.
    case certificate
    /// The shared header is missing, or contains none of the secrets.
    case header
}
