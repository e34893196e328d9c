internal import POSIX

/// The files that were read for a configuration, or would have been, with a digest of what each held.
///
/// Two readings with equal sources have found the same in the same files. It holds no secret: digests have a new random key in each
/// process, and have 64 bits.
package struct ConfigurationSources: Sendable, Equatable {
    private struct Source: Sendable, Equatable {
        let file, path: String
        let digest: Int
    }

    private var all: [Source] = []

    /// The files as the process sees them, each once, in the order of reading; the configuration itself is the first.
    package var files: [String] { places.map(\.file) }

    /// The files, each with the first key that names it.
    var places: [(file: String, path: String)] {
        var known: Set<String> = []
        return all.filter { known.insert($0.file).inserted }.map { ($0.file, $0.path) }
    }

    /// The file that a key names; nil where there is none.
    func file(at path: String) -> String? { all.first { $0.path == path }?.file }

    /// Notes a file.
    /// - Parameters:
    ///   - path: the key of the configuration that names it; `$` for the configuration itself.
    ///   - contents: nil when it cannot be read.
    mutating func note(_ file: String, at path: String, _ contents: [UInt8]?) {
        all.append(Source(file: file, path: path, digest: Self.digest(contents)))
    }

    /// The keys of the configuration that name the same file here and there, with other contents.
    func keysOfChangedFiles(in other: ConfigurationSources) -> Set<String> {
        let before = Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
        return Set(
            other.all.filter { next in before[next.path].map { $0.file == next.file && $0.digest != next.digest } ?? false }.map(\.path))
    }

    /// Whether the file that a key names has other contents by now; false where it cannot be read, or there is none. Blocks like its disk.
    func hasChanged(at path: String) -> Bool {
        guard let source = all.first(where: { $0.path == path }),
            let contents = try? File.read(source.file, limit: SecretReader.certificateLimit.bytes)
        else { return false }
        return Self.digest(contents.bytes) != source.digest
    }

    /// A digest that means nothing outside this process.
    static func digest(_ contents: [UInt8]?) -> Int {
        var hasher = Hasher()
        hasher.combine(contents)
        return hasher.finalize()
    }
}
