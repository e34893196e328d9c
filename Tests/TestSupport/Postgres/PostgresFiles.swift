internal import Glibc
internal import POSIX

/// The directory of one server, and PostgreSQL's programs in it, which refuse to run as root.
final class PostgresFiles: Sendable {
    /// The user of the programs when the tests run as root: nobody, which every system has.
    private static let user: UInt32 = 65534

    /// A cluster directly after initdb, which each server copies.
    private static let template = Result { try makeTemplate() }

    /// In memory, if there is room: a cluster has a thousand files, and creating those on a disk takes a second.
    private static let parent: String = {
        var room = statvfs()
        let isKnown = unsafe statvfs("/dev/shm", &room) == 0 && access("/dev/shm", W_OK) == 0
        return isKnown && UInt64(room.f_bavail) * UInt64(room.f_bsize) >= 2 << 30 ? "/dev/shm" : "/tmp"
    }()

    let directory: TemporaryDirectory
    private let watchdog: Watchdog

    var data: String { directory.path("data") }

    init() throws {
        directory = try TemporaryDirectory(in: Self.parent)
        let isOwned = unsafe chown(directory.path, Self.user, Self.user) == 0
        guard isOwned || getuid() != 0 else {
            throw TemporaryDirectory.Failure.cannotMakeDirectory(errno)
        }
        watchdog = try Watchdog(directory.path)
    }

    /// Gives files to the user of the programs, readable by no other user.
    func take(ownershipOf names: [String]) throws {
        for path in names.map({ directory.path($0) }) {
            let isOwned = unsafe chown(path, Self.user, Self.user) == 0
            guard isOwned || getuid() != 0, unsafe chmod(path, 0o600) == 0 else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
        }
    }

    /// Fills the cluster's directory.
    func copyTemplate() throws {
        let template = try Self.template.get()
        try Self.expectSuccess(try Command("cp", "-a", "--reflink=auto", template.data, data), "cp")
    }

    private static func makeTemplate() throws -> PostgresFiles {
        let files = try PostgresFiles()
        let arguments = [
            "-D", files.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--wal-segsize=1",
        ]
        _ = try files.run("initdb", arguments)
        let rules = """
            local all all trust
            host all guarded 127.0.0.1/32 scram-sha-256
            host all all 127.0.0.1/32 trust
            local replication all trust
            """
        try files.directory.write("data/pg_hba.conf", "\(rules)\n", mode: 0o644)
        // In single-user mode, without a server: one statement per line.
        try files.directory.write("setup.sql", "CREATE USER guarded PASSWORD '\(PostgresServer.password)';\n", mode: 0o644)
        _ = try files.run(
            "postgres", ["--single", "-D", files.data, "-c", "fsync=off", "postgres"], input: files.directory.path("setup.sql"))
        return files
    }

    /// Runs one of PostgreSQL's programs to its end.
    /// - Returns: its standard output.
    func run(_ program: String, _ arguments: [String], input: String = "/dev/null") throws -> String {
        let process = try start(program, arguments, input: input)
        let status = try process.exitCode()
        let output = try process.output.text()
        guard status == 0 else { throw PostgresServer.Failure.commandFailed(program, output: "\(output)\(try process.errors.text())") }
        return output
    }

    func start(_ program: String, _ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        let path = try Self.path(of: program)
        let command = getuid() == 0 ? ["setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", path] : [path]
        // The machine's settings for PostgreSQL's programs must not affect tests; of two variables with one name the first is used.
        let environment = ["PGHOST": directory.path, "PGUSER": "postgres", "PGDATABASE": "postgres", "LC_ALL": "C", "HOME": directory.path]
        return try ChildProcess(
            command[0], (command.dropFirst() + arguments).map { Array($0.utf8) }, environment: environment, input: input)
    }

    /// Removes the shared memory segment by which two servers of one directory detect each other; a killed server leaves it behind.
    func removeSharedMemory() {
        // The seventh line of postmaster.pid contains the segment's key and number (miscadmin.h).
        guard let lines = try? directory.read("data/postmaster.pid").split(separator: "\n", omittingEmptySubsequences: false),
            lines.count > 6,
            let identifier = lines[6].split(separator: " ").last.flatMap({ Int32($0) })
        else { return }
        shmctl(identifier, IPC_RMID, nil)
    }

    /// The path of Debian's newest version of a program, or of one in PATH.
    private static func path(of program: String) throws -> String {
        for version in (10..<30).reversed() {
            let path = "/usr/lib/postgresql/\(version)/bin/\(program)"
            if unsafe access(path, X_OK) == 0 { return path }
        }
        let found = try Command("sh", "-c", "command -v \(program)")
        guard found.status == 0 else {
            throw PostgresServer.Failure.notInstalled(
                "\(program) is missing: run `Scripts/install-dependencies test`, which installs PostgreSQL")
        }
        return String(found.output.split(separator: "\n").first ?? "")
    }

    private static func expectSuccess(_ command: Command, _ name: String) throws {
        guard command.status == 0 else { throw PostgresServer.Failure.commandFailed(name, output: command.output) }
    }
}

/// A process that outlives the test process, so that the server stops and its directory is removed when the test process is killed.
private final class Watchdog: Sendable {
    private let lifeline: Int32
    private let process: ChildProcess

    init(_ directory: String) throws {
        let pipe = "\(directory)/lifeline"
        // Opened for reading and writing, so that opening does not block. Only this process has it open for writing, so its end closes the
        // pipe.
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw TemporaryDirectory.Failure.cannotWrite(errno) }
        lifeline = unsafe open(pipe, O_RDWR | O_CLOEXEC)
        // A running copy of the cluster may still create files, so removing them may take several attempts. The server may be paused, and
        // would then miss a signal.
        let script = """
            read -r end
            trap '' HUP INT TERM
            if [ -f "$1/data/postmaster.pid" ]; then
                server=$(head -n 1 "$1/data/postmaster.pid")
                kill -QUIT "$server" && kill -CONT "$server" && tail --pid="$server" -f /dev/null
            fi
            for attempt in 1 2 3 4 5 6 7 8 9; do rm -rf "$1" 2>/dev/null && break; sleep 1; done
            """
        process = try ChildProcess("sh", ["-c", script, "sh", directory].map { Array($0.utf8) }, input: pipe)
    }

    deinit {
        // The server is stopped and its directory removed in any case.
        process.send(SIGKILL)
        close(lifeline)
    }
}
