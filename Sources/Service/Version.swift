package enum Version {
    /// Equal to the version in the change log and in `deskgate version`.
    package static let current = "0.1.0"
}
