internal import Glibc
internal import POSIX
internal import Threading

/// A real PostgreSQL server for tests, with its data in a temporary directory. It stops when it is released; a watchdog stops it if the
/// test process ends before.
///
/// It listens on a free port of 127.0.0.1, and on a Unix socket in its directory. Clients may connect without a password as `postgres`; the
/// user `guarded` needs a password over TCP. Any thread may read its addresses; only one may start and stop it.
package final class PostgresServer: @unchecked Sendable {
    package enum Failure: Error {
        /// The binaries are missing: `Scripts/install-dependencies test` installs them.
        case notInstalled(String)
        case commandFailed(String, output: String)
        case noFreePort
    }

    package struct Options: Sendable {
        /// Additional settings of the server, such as `max_connections=5`.
        package var settings: [String]
        /// Whether committed data survives a crash of the machine; off, because tests only crash processes.
        package var isDurable = false

        package init(_ settings: String...) {
            self.settings = settings
        }
    }

    private static let databases = Monitor(0)

    /// The server shared by all tests that neither stop nor configure it.
    package static let shared = Result { try PostgresServer() }

    // Only the thread that starts and stops the server uses `process`; `port` is written only in `init`.
    private var process: ChildProcess?
    private let files: PostgresFiles
    private let options: Options
    /// The port of 127.0.0.1, which is also in the socket's name.
    package private(set) var port: UInt16

    /// Starts a server with new data.
    package convenience init(_ options: Options = Options()) throws {
        let files = try PostgresFiles()
        try files.copyTemplate()
        try self.init(files, options)
    }

    private init(_ files: PostgresFiles, _ options: Options) throws {
        self.files = files
        self.options = options
        port = try freePort()
        do {
            try start()
        } catch ChildProcess.Failure.missingLine(_, _, let written) where written.contains("Address already in use") {
            // Another process has taken the port.
            stop()
            port = try freePort()
            try start()
        }
    }

    deinit {
        stop()
        files.removeSharedMemory()
    }

    /// Its directory with the Unix socket; the subdirectory `data` contains the cluster.
    package var directory: String { files.directory.path }

    /// A URL for TCP, for a user with or without a password.
    package func url(user: String = "postgres", password: String? = nil, database: String = "postgres", query: String = "") -> String {
        "postgres://\(user)\(password.map { ":\($0)" } ?? "")@127.0.0.1:\(port)/\(database)\(query.isEmpty ? "" : "?\(query)")"
    }

    package var socketURL: String { "postgres://postgres@:\(port)/postgres?host=\(directory)" }

    /// The password of the user `guarded`.
    package static let password = "correct horse/battery@staple"

    /// Starts the server again after `stop` or `kill`, and waits until it takes connections.
    package func start() throws {
        precondition(process == nil, "the server runs already")
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(directory)",
            "fsync=\(options.isDurable ? "on" : "off")",
            "max_connections=50", "shared_buffers=16MB", "max_wal_senders=4", "timezone=UTC", "log_timezone=UTC",
            // In files of the directory, which go with it, instead of in memory that a killed server leaves behind.
            "dynamic_shared_memory_type=mmap",
        ]
        let arguments = ["-D", files.data] + (settings + options.settings).flatMap { ["-c", $0] }
        for attempt in 1... {
            let process = try files.start("postgres", arguments)
            self.process = process
            do {
                // A standby says something else than a primary.
                _ = try process.errors.line(containing: "ready to accept")
                return
            } catch ChildProcess.Failure.missingLine(_, _, let written)
                where attempt < 5 && written.contains("pre-existing shared memory")
            {
                // A process of the killed server has not ended yet.
                stop()
            }
        }
    }

    /// Stops the server at once, without a checkpoint, as `pg_ctl stop -m immediate`; what was committed is recovered by the next start.
    package func stop() {
        guard let process else { return }
        process.send(SIGQUIT)
        process.send(SIGCONT)
        if (try? process.waitForEnd()) == nil { process.send(SIGKILL) }
        self.process = nil
    }

    /// Stops the server with an end to every connection first, as `pg_ctl stop -m fast`, which tells clients why.
    package func stopFast() throws {
        process?.send(SIGINT)
        _ = try process?.waitForEnd()
        process = nil
    }

    /// Ends the server and all of its processes with SIGKILL, as when the machine fails.
    package func kill() throws {
        guard let process else { return }
        let children = try haltedProcesses()
        process.send(SIGKILL)
        for child in children { Glibc.kill(child, SIGKILL) }
        _ = try process.waitForEnd()
        self.process = nil
        // The next server of this directory would find their shared memory in use.
        guard eventually({ children.allSatisfy { [nil, "Z"].contains(Self.state(of: $0)) } }) else {
            throw Failure.commandFailed("kill", output: "")
        }
    }

    /// Has the server and its processes do nothing, as when the machine hangs, until `resume`.
    package func pause() throws {
        for child in try haltedProcesses() { Glibc.kill(child, SIGSTOP) }
    }

    /// Ends a `pause`.
    package func resume() throws {
        for child in try processes() { Glibc.kill(child, SIGCONT) }
        process?.send(SIGCONT)
    }

    /// Has the first process do nothing, so that it starts no other.
    /// - Returns: as `processes`.
    private func haltedProcesses() throws -> [Int32] {
        guard let process else { return [] }
        process.send(SIGSTOP)
        guard eventually({ !process.isRunning || Self.state(of: process.identifier) == "T" }) else {
            throw Failure.commandFailed("kill -STOP", output: "")
        }
        return try processes()
    }

    /// The letter of a process's state (proc_pid_stat(5)); nil when there is no such process.
    private static func state(of process: Int32) -> Character? {
        guard let stat = try? File.read("/proc/\(process)/stat", limit: 1 << 12).bytes else { return nil }
        // After the name, which is in parentheses and may contain parentheses itself.
        return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first
    }

    /// The process IDs of the server except its first process.
    private func processes() throws -> [Int32] {
        guard let process else { return [] }
        let children = try File.read("/proc/\(process.identifier)/task/\(process.identifier)/children", limit: 1 << 16).bytes
        return children.split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
}

extension PostgresServer {
    /// Runs SQL as the superuser, each statement separately.
    /// - Returns: the output, without headings.
    @discardableResult
    package func sql(_ statements: String...) throws -> String {
        let arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory, "-p", "\(port)", "-U", "postgres"]
        return try files.run("psql", arguments + statements.flatMap { ["-c", $0] })
    }

    /// Makes an empty database on this server.
    /// - Returns: its URL.
    package func makeDatabase() throws -> String {
        let number = Self.databases.withLock { count in
            count += 1
            return count
        }
        try sql("CREATE DATABASE test_\(number)")
        return url(database: "test_\(number)")
    }

    /// Creates a standby of this server, which follows it from then on; no commit waits for it yet.
    /// - Parameter name: the standby's application name, of lower-case letters.
    package func standby(named name: String = "standby") throws -> PostgresServer {
        let files = try PostgresFiles()
        // The backup's connection string is also used by the standby (-R).
        let primary = "host=\(directory) port=\(port) user=postgres application_name=\(name)"
        _ = try files.run("pg_basebackup", ["-D", files.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", primary])
        return try PostgresServer(files, options)
    }

    /// Makes every commit wait for the standby with this name, whether it exists or not; an empty name stands for none.
    package func setSynchronousStandby(_ name: String) throws {
        try sql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'", "SELECT pg_reload_conf()")
        // A new session has the setting after the first process has distributed it. Commits follow the checkpointer, which has certainly
        // applied the setting after another checkpoint (UpdateSharedMemoryConfig of PostgreSQL's checkpointer.c).
        guard eventually({ (try? sql("SHOW synchronous_standby_names")) == "\(name)\n" }) else {
            throw Failure.commandFailed("pg_reload_conf", output: "")
        }
        try sql("CHECKPOINT")
    }

    /// Gives files in its directory to the server's user, readable by no other user.
    package func take(ownershipOf names: [String]) throws {
        try files.take(ownershipOf: names)
    }

    /// Promotes a standby to a primary, and waits until it accepts writes.
    package func promote() throws {
        try sql("SELECT pg_promote()")
    }
}
