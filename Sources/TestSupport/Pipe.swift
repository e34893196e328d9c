internal import Glibc

/// A pipe that a new program gets one end of.
struct Pipe {
    let reading: Int32
    let writing: Int32

    /// Makes it; while another thread starts a program, that one would inherit it too and hold it open.
    init() throws(ChildProcess.Failure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .cannotStart(errno) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Makes it hold as little as it can: one page.
    func shrink() {
        // F_SETPIPE_SZ of fcntl(2).
        _ = fcntl(writing, 1031, 4096)
    }

    func closeReading() {
        close(reading)
    }

    func closeWriting() {
        close(writing)
    }
}

/// Reads what is there, waiting for the first byte; nil at the end.
func readPart(of descriptor: Int32) -> [UInt8]? {
    let capacity = 64 * 1024
    var count = 0
    repeat {
        let part = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            count = unsafe read(descriptor, buffer.baseAddress, capacity)
            initialized = max(count, 0)
        }
        if count > 0 { return part }
    } while count < 0 && errno == EINTR
    return nil
}
