internal import CPOSIX
internal import Glibc

package enum Process {
    /// Returns the arguments without the program's name; nil when one is not UTF-8, which `CommandLine` would replace silently.
    package static func arguments() -> [String]? {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index], let text = unsafe String(validatingCString: word) else { return nil }
            words.append(text)
        }
        return words
    }

    /// Opens /dev/null for each closed standard descriptor. Call it first. Otherwise the next file or socket would get that number, and
    /// output for the terminal would be written to it.
    package static func holdStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is this one.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Returns nil when the variable is not set or not UTF-8.
    package static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// Ignores SIGPIPE: writing to a closed pipe or socket becomes an error instead of ending the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Keeps the process's memory, which has secrets, out of core dumps, and prevents other processes of the same user from reading it
    /// (prctl(2), PR_SET_DUMPABLE).
    package static func forbidMemoryDumps() {
        // A limit of 0 alone does not stop a handler to which the system pipes core dumps (core(5)).
        _ = shim_prctl_set_dumpable(0)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Raises the limit of open files as far as allowed. Returns the limit that is in force now.
    package static func raiseOpenFileLimit() -> Int {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    package static var identifier: Int32 { getpid() }

    /// Returns the program name of a process; nil when it has ended or is not visible. Control characters are replaced, because each
    /// program chooses its own name (PR_SET_NAME in prctl(2)) and a terminal would obey them.
    package static func name(of identifier: Int32) -> String? {
        guard let contents = try? File.read("/proc/\(identifier)/comm", limit: 64) else { return nil }
        let name = String(decoding: contents.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return String(String.UnicodeScalarView(name.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }

    /// Whether a process runs the same program as this one, by its name; nil when it has ended or is not visible.
    package static func isOfThisProgram(_ identifier: Int32) -> Bool? {
        name(of: identifier).map { $0 == name(of: self.identifier) }
    }

    /// Whether the first thread of a process blocks SIGHUP (proc_pid_status(5)), as it does once `Signals` exists; SIGHUP may end another
    /// process. nil when it has ended or is not visible.
    static func blocksHangup(_ identifier: Int32) -> Bool? {
        guard let contents = try? File.read("/proc/\(identifier)/status", limit: 1 << 16) else { return nil }
        let lines = String(decoding: contents.bytes, as: UTF8.self).split(separator: "\n")
        let mask = lines.first { $0.hasPrefix("SigBlk:") }?.split(separator: "\t").last
        return mask.flatMap { UInt64($0, radix: 16) }.map { $0 >> (SIGHUP - 1) & 1 == 1 }
    }

    /// The effective user id.
    package static var user: UInt32 { geteuid() }

    /// Whether root runs this process, also while it has the rights of a path's owner.
    package static var isRunByRoot: Bool { getuid() == 0 }

    /// Ends the process at once (_exit(2)), without waiting for threads or closing anything.
    package static func abandon(_ code: Int32) -> Never {
        _exit(code)
    }

    /// Ends the process (exit(3)) without waiting for threads.
    package static func exit(_ code: Int32) -> Never {
        Glibc.exit(code)
    }
}

/// The resource usage of this process, from /proc/self (proc(5)).
package struct ProcessUsage: Sendable {
    package let threads: UInt64
    /// The size of the address space.
    package let virtualBytes: UInt64
    package let residentBytes: UInt64
    /// The start, in clock ticks since the machine's start.
    fileprivate let startTicks: UInt64

    /// nil without /proc.
    package static var current: ProcessUsage? {
        guard let contents = try? File.read("/proc/self/stat", limit: 4096) else { return nil }
        return ProcessUsage(contents.bytes)
    }

    /// Parses the line of /proc/self/stat; nil when it is malformed.
    init?(_ line: [UInt8]) {
        // The program's name is in parentheses and may contain spaces and parentheses itself; field 3 follows it.
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

    /// The CPU time of all threads.
    package static var cpuSeconds: Double {
        seconds(CLOCK_PROCESS_CPUTIME_ID)
    }

    /// The start of the process since 1970; nil without /proc.
    package static var startUnixSeconds: Double? {
        guard let usage = current else { return nil }
        let age = seconds(CLOCK_BOOTTIME) - Double(usage.startTicks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        return seconds(CLOCK_REALTIME) - age
    }

    /// 0 without /proc.
    package static var openDescriptors: Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(directory) }
        var entries = 0
        while unsafe readdir(directory) != nil { entries += 1 }
        // Not counted: `.`, `..` and the descriptor of the directory itself.
        return max(0, entries - 3)
    }

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
