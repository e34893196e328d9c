import Glibc

/// A pipe whose ends a test closes.
final class TestPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    /// A FIFO, because pipe(2) has no close-on-exec: a program that another test starts at that moment would keep the ends open.
    init(isNonBlocking: Bool = false) {
        var template = Array("/tmp/deskgate-fifo-XXXXXX\0".utf8)
        let (readEnd, writeEnd) = unsafe template.withUnsafeMutableBytes { bytes in
            guard let directory = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress, unsafe mkdtemp(directory) != nil else {
                preconditionFailure("a directory can be made")
            }
            let path = unsafe "\(String(cString: directory))/fifo"
            defer { unsafe rmdir(directory) }
            defer { unsafe unlink(path) }
            precondition(unsafe mkfifo(path, 0o600) == 0)
            // Non-blocking, as there is no writer yet; the second open finds a reader.
            let readEnd = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            return (readEnd, unsafe open(path, O_WRONLY | O_CLOEXEC))
        }
        precondition(readEnd >= 0 && writeEnd >= 0 && fcntl(readEnd, F_SETFL, 0) == 0)
        self.readEnd = readEnd
        self.writeEnd = writeEnd
        if isNonBlocking { precondition(fcntl(writeEnd, F_SETFL, O_NONBLOCK) == 0) }
    }

    /// A pipe of the smallest size that Linux allows, F_SETPIPE_SZ in fcntl(2).
    static func small(isNonBlocking: Bool = false) -> TestPipe {
        let pipe = TestPipe(isNonBlocking: isNonBlocking)
        precondition(fcntl(pipe.writeEnd, 1031, smallSize) == smallSize)
        return pipe
    }

    static let smallSize: Int32 = 4096

    /// Waits for bytes and returns at most `count` of them; none at the end of the stream.
    func read(atMost count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            size = unsafe max(0, Glibc.read(readEnd, buffer.baseAddress, count))
        }
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = read(atMost: 1000)
            if part.isEmpty { return all }
            all += part
        }
    }

    func closeReadEnd() {
        precondition(close(readEnd) == 0)
    }

    func closeWriteEnd() {
        precondition(close(writeEnd) == 0)
    }
}
