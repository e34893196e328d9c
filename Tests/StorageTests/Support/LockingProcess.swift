import TestSupport

/// Another process that locks bytes of a file with F_SETLK, like SQLite.
enum LockingProcess {
    /// Starts the process, and waits until it has the lock, which it holds until it is ended.
    static func start(_ path: String, _ bytes: Range<Int64>, shared: Bool = false) throws -> ChildProcess {
        // struct flock in the layout of fcntl(2).
        let program = """
            use Fcntl; open(F, "+<", $ARGV[0]) or die; $| = 1;
            my $lock = pack("s s x4 q q l x4", \(shared ? "F_RDLCK" : "F_WRLCK"), 0, \(bytes.lowerBound), \(bytes.count), 0);
            fcntl(F, F_SETLK, $lock) or die; print "locked\\n"; sleep 1000
            """
        let process = try ChildProcess("perl", ["-e", program, path].map { Array($0.utf8) })
        _ = try process.output.line(containing: "locked")
        return process
    }
}
