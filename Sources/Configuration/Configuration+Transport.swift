extension Configuration {
    /// How a notifier reaches its provider.
    package struct Transport: Sendable, Equatable {
        /// How long a try may take, in seconds.
        package var timeoutSeconds: Int
        /// How many tries may run at once.
        package var concurrency: Int
        /// The certificates, in PEM, that the server's must come from; nil for those of the system.
        package var certificateAuthorities: PEMFile?
        /// The proxy to go through; nil for none.
        package var proxy: String?
    }

    /// A PEM file that libcurl reads by itself; it holds what it held when the configuration was read, so that a reload notices a change.
    package struct PEMFile: Sendable, Equatable {
        /// Where it is, as the process sees it.
        package var path: String
        /// What it held.
        package var contents: [UInt8]
    }
}
