package enum Version {
    /// The same as in the change log and `deskgate version`.
    package static let current = "0.1.0"
}
