package import Core

/// Facts about the store and the certificates' files that only a blocking read can provide.
package struct StoreFacts: Sendable {
    /// The listeners whose certificate was renewed in its file and is not in force.
    package var renewedCertificates: [String] = []
    /// The free bytes of each disk, by its contents, and whether it was low before (`DiskRule`).
    package var disks: [(name: String, freeBytes: UInt64, wasLow: Bool)] = []
    package var pending: [PendingDeliveries] = []
    package var dead: [DeadDeliveries] = []
    /// The apps whose comments find no device, because none is registered.
    package var appsWithoutDevices: [String] = []

    package init() {}
}
