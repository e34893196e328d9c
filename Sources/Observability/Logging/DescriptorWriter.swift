import Glibc

/// Writes whole lines to a file descriptor that may be slow, full, or closed at the other end.
struct DescriptorWriter {
    private let descriptor: Int32
    /// Whether the last write failed within a line, which the next one must first end.
    private var isMidLine = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes all lines, waiting as long as the reader needs; returns how many could not be written whole.
    mutating func write(_ lines: [UInt8]) -> UInt64 {
        if isMidLine && writePrefix(of: [UInt8(ascii: "\n")]) == 0 { return countLines(lines[...]) }
        isMidLine = false
        let written = writePrefix(of: lines)
        isMidLine = written > 0 && lines[written - 1] != UInt8(ascii: "\n")
        return countLines(lines[written...])
    }

    private func countLines(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(into: 0) { count, byte in if byte == UInt8(ascii: "\n") { count += 1 } }
    }

    /// Returns how many bytes were written before an error that does not pass by waiting.
    private func writePrefix(of bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                let result = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if result > 0 {
                    written += result
                } else if result == 0 || !waitAfterError() {
                    break
                }
            }
            return written
        }
    }

    /// Whether write(2) is to be tried again: after an interruption, or once a descriptor in non-blocking mode has room.
    private func waitAfterError() -> Bool {
        switch errno {
        case EINTR:
            return true
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&request, 1, -1) > 0 || errno == EINTR
        default:
            return false
        }
    }
}
