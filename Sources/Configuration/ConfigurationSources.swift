internal import POSIX

/// The files that were read for a configuration, including unreadable ones, with a digest of the contents of each.
///
/// If two configurations have equal sources, the same files had the same contents. The value contains no secrets: digests have 64 bits, and
/// use a random key for each process.
package struct ConfigurationSources: Sendable, Equatable {
    private struct Source: Sendable, Equatable {
        let file, path: String
        let digest: Int
    }

    private var all: [Source] = []

    /// The paths of the files for this process, without duplicates, in the order of reading. The configuration file is the first.
    package var files: [String] { places.map(\.file) }

    /// The files, each with the first key that refers to it.
    var places: [(file: String, path: String)] {
        var known: Set<String> = []
        return all.filter { known.insert($0.file).inserted }.map { ($0.file, $0.path) }
    }

    /// Returns the file that a key refers to; nil when there is none.
    func file(at path: String) -> String? { all.first { $0.path == path }?.file }

    /// Records a file.
    /// - Parameters:
    ///   - path: the configuration key that refers to the file; `$` for the configuration file itself.
    ///   - contents: nil when the file cannot be read.
    mutating func note(_ file: String, at path: String, _ contents: [UInt8]?) {
        all.append(Source(file: file, path: path, digest: Self.digest(contents)))
    }

    /// Returns the keys that refer to the same file in both configurations, but with different contents.
    func keysOfChangedFiles(in other: ConfigurationSources) -> Set<String> {
        let before = Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
        return Set(
            other.all.filter { next in before[next.path].map { $0.file == next.file && $0.digest != next.digest } ?? false }.map(\.path))
    }

    /// Whether the file of a key has changed since it was read; false when it cannot be read, or there is none. May block on the disk.
    func hasChanged(at path: String) -> Bool {
        guard let source = all.first(where: { $0.path == path }),
            let contents = try? File.read(source.file, limit: SecretReader.certificateLimit.bytes)
        else { return false }
        return Self.digest(contents.bytes) != source.digest
    }

    /// Returns a digest that is comparable only within this process.
    static func digest(_ contents: [UInt8]?) -> Int {
        var hasher = Hasher()
        hasher.combine(contents)
        return hasher.finalize()
    }
}
