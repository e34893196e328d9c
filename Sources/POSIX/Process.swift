internal import CPOSIX
internal import Glibc

/// What belongs to the process as a whole.
package enum Process {
    /// The words of the command line after the program's own name; nil when one is not UTF-8, which `CommandLine` would repair silently.
    package static func arguments() -> [String]? {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: word) else { return nil }
            words.append(text)
        }
        return words
    }

    /// Opens /dev/null for each standard descriptor that is closed.
    ///
    /// Otherwise the next file or socket would get its number, and what is meant for a terminal would be written there. Call it first.
    package static func holdStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// An environment variable, nil when it is not set or is not UTF-8.
    package static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// Makes writing to a closed pipe or socket an error instead of the end of the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Keeps what is in memory, such as secrets, out of core dumps, and other processes of the same user away from it (prctl(2),
    /// PR_SET_DUMPABLE).
    package static func forbidMemoryDumps() {
        // The limit alone would not hold back a handler that the system pipes dumps to (core(5)).
        _ = shim_prctl_set_dumpable(0)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Raises the limit of open files as far as this process may.
    /// - Returns: the limit that is in force now.
    package static func raiseOpenFileLimit() -> Int {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of this process.
    package static var identifier: Int32 { getpid() }

    /// The program's name of a process, nil when it has ended or is not visible from here.
    package static func name(of identifier: Int32) -> String? {
        guard let contents = try? File.read("/proc/\(identifier)/comm", limit: 64) else { return nil }
        return String(decoding: contents.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Whether this user may do everything.
    package static var isPrivileged: Bool { geteuid() == 0 }

    /// Ends the process at once with this code, without waiting for any thread or closing anything.
    package static func abandon(_ code: Int32) -> Never {
        _exit(code)
    }

    /// Ends the process at once with this code.
    package static func exit(_ code: Int32) -> Never {
        Glibc.exit(code)
    }
}

/// What this process uses of the machine, as Linux tells in /proc/self (proc(5)).
package struct ProcessUsage: Sendable {
    /// The number of its threads.
    package let threads: UInt64
    /// The size of its address space.
    package let virtualBytes: UInt64
    /// How much of that is in memory.
    package let residentBytes: UInt64
    /// When it began, in clock ticks after the machine's start.
    fileprivate let startTicks: UInt64

    /// The usage at this moment; nil where there is no /proc.
    package static var current: ProcessUsage? {
        guard let contents = try? File.read("/proc/self/stat", limit: 4096) else { return nil }
        return ProcessUsage(contents.bytes)
    }

    /// Reads the line of /proc/self/stat; nil when it is none.
    init?(_ line: [UInt8]) {
        // The program's name stands in parentheses and may hold spaces and parentheses itself; field 3 follows it.
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 21, let threads = UInt64(fields[17]), let startTicks = UInt64(fields[19]), let virtual = UInt64(fields[20]),
            let pages = UInt64(fields[21])
        else { return nil }
        self.threads = threads
        self.startTicks = startTicks
        virtualBytes = virtual
        residentBytes = pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The CPU time that all its threads have spent, in seconds.
    package static var cpuSeconds: Double {
        seconds(CLOCK_PROCESS_CPUTIME_ID)
    }

    /// When it began, in seconds since 1970; nil where there is no /proc.
    package static var startUnixSeconds: Double? {
        guard let usage = current else { return nil }
        let age = seconds(CLOCK_BOOTTIME) - Double(usage.startTicks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        return seconds(CLOCK_REALTIME) - age
    }

    /// The number of its open descriptors; 0 where there is no /proc.
    package static var openDescriptors: Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(directory) }
        var entries = 0
        while unsafe readdir(directory) != nil { entries += 1 }
        // Not counted: `.`, `..` and the descriptor of the directory itself.
        return max(0, entries - 3)
    }

    /// How many descriptors it may have open.
    package static var descriptorLimit: UInt64 {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return UInt64(limit.rlim_cur)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
