internal import Glibc
internal import POSIX

struct SpawnSetup {
    /// The file for its standard input.
    let input: String
    /// The descriptor for its standard output.
    let output: Int32
    /// The descriptor for its standard error; nil for a closed one.
    let errors: Int32?

    /// Starts a program, by its path or by a name that is searched in PATH.
    /// - Returns: its process ID.
    func start(_ program: String, _ arguments: [[UInt8]], environment: [String: String]) throws(ChildProcess.Failure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        if let errors {
            unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
        } else {
            unsafe posix_spawn_file_actions_addclose(&actions, 2)
        }
        var attributes = Self.withoutSignals()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var identifier: pid_t = 0
        // Of two variables with one name the first is used.
        let variables = try environment.map { Array("\($0.key)=\($0.value)".utf8) } + Self.inheritedEnvironment()
        let result = unsafe withPointers(to: [Array(program.utf8)] + arguments) { words in
            unsafe withPointers(to: variables) { unsafe posix_spawnp(&identifier, program, &actions, &attributes, words, $0) }
        }
        guard result == 0 else { throw .cannotStart(result) }
        return identifier
    }

    /// Attributes that block and ignore no signal.
    private static func withoutSignals() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    /// The variables of this process, which configure sanitizers and the dynamic linker.
    private static func inheritedEnvironment() throws(ChildProcess.Failure) -> [[UInt8]] {
        do throws(SystemError) {
            return try File.read("/proc/self/environ", limit: 1 << 24).bytes.split(separator: 0).map { Array($0) }
        } catch {
            throw .cannotStart(error.code)
        }
    }
}

/// Calls a closure with texts in C's form: an array of pointers with a null at the end.
private func withPointers<Result>(
    to texts: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var bytes = texts.flatMap { text in text.map { CChar(bitPattern: $0) } + [CChar(0)] } + [CChar(0)]
    let starts = texts.indices.map { index in texts[..<index].reduce(0) { $0 + $1.count + 1 } }
    return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("an array with elements has an address") }
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: starts.count + 1)
        defer { unsafe pointers.deallocate() }
        for (index, start) in starts.enumerated() { unsafe (pointers + index).initialize(to: base + start) }
        unsafe (pointers + starts.count).initialize(to: nil)
        return unsafe body(pointers)
    }
}

/// A pipe, one end of which a new program gets.
struct Pipe {
    let reading: Int32
    let writing: Int32

    /// Creates the pipe; a program that another thread starts at the same time would inherit it and hold it open.
    init() throws(ChildProcess.Failure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .cannotStart(errno) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Reduces its buffer to the minimum: one page.
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

/// Reads the available bytes, waiting for the first one; nil at the end.
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
