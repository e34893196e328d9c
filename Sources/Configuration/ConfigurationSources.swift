/// The files that were read for a configuration, or would have been, with a digest of what they held.
///
/// Two readings with equal sources have found the same in the same files. It holds no secret: the digest is keyed anew in each process, and
/// has 64 bits.
package struct ConfigurationSources: Sendable, Equatable {
    /// The files as the process sees them, in the order of reading; the configuration itself is the first.
    package private(set) var files: [String] = []
    private var digest = 0

    /// Notes a file.
    /// - Parameter contents: nil when it cannot be read.
    mutating func note(_ file: String, _ contents: [UInt8]?) {
        files.append(file)
        var hasher = Hasher()
        hasher.combine(digest)
        hasher.combine(contents)
        digest = hasher.finalize()
    }
}
