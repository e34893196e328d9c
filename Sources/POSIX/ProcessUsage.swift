internal import Glibc

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
