package enum Version {
    /// As in the change log and `deskgate version`.
    package static let current = "0.1.0"
}
