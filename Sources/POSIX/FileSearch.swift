internal import CPOSIX
internal import Glibc

package enum FileSearch {
    package struct Finding: Sendable, Equatable {
        /// Bytes searched.
        package var bytes: UInt64 = 0
        /// Occurrences of all texts together.
        package var occurrences = 0

        package init(bytes: UInt64 = 0, occurrences: Int = 0) {
            self.bytes = bytes
            self.occurrences = occurrences
        }
    }

    private static let chunkBytes = 1 << 20

    /// Searches a file; a missing file has no occurrences. Closing the file drops this process's F_SETLK locks on it, so SQLite must not
    /// lock it.
    /// - Parameter texts: none of them empty.
    package static func search(_ path: String, for texts: [[UInt8]]) throws(SystemError) -> Finding {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = SystemError.last
            guard error.isMissing else { throw error }
            return Finding()
        }
        defer { close(descriptor) }
        return try search(descriptor, for: texts)
    }

    /// Searches an open file from its start, whatever its position is.
    static func search(_ descriptor: Int32, for texts: [[UInt8]]) throws(SystemError) -> Finding {
        let longest = texts.map(\.count).max() ?? 0
        var (finding, kept) = (Finding(), [UInt8]())
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, Int(finding.bytes))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError.last }
            guard count > 0 else { return finding }
            finding.bytes += UInt64(count)
            // A possible beginning of a text at the end of the last chunk precedes this one.
            let bytes = kept + chunk.prefix(count)
            for text in texts { finding.occurrences += occurrences(of: text, in: bytes.span, after: kept.count) }
            kept = Array(bytes.suffix(max(0, longest - 1)))
        }
    }

    /// Counts occurrences that end behind the first `searched` bytes, which were searched before.
    private static func occurrences(of text: [UInt8], in bytes: Span<UInt8>, after searched: Int) -> Int {
        let last = bytes.count - text.count
        var (count, start) = (0, max(0, searched - text.count + 1))
        while start <= last {
            // Most bytes are not the first one of the text.
            guard bytes[start] == text[0] else {
                start += 1
                continue
            }
            var length = 1
            while length < text.count, bytes[start + length] == text[length] { length += 1 }
            if length == text.count { count += 1 }
            start += 1
        }
        return count
    }
}
