internal import Glibc
internal import POSIX
internal import Threading

/// A real PostgreSQL server for tests, with data of its own in a temporary directory; it is stopped when it is let go, and by a watchdog
/// when the test's process ends otherwise.
///
/// It listens on a port of 127.0.0.1 that was free, and on a Unix socket in its directory. Everybody may connect without a password as
/// `postgres`; the user `guarded` needs a password by TCP. Any thread may ask it for its addresses; starting and stopping is for one.
package final class PostgresServer: @unchecked Sendable {
    package enum Failure: Error {
        /// The binaries are missing: `Scripts/install-dependencies test` installs them.
        case notInstalled(String)
        case commandFailed(String, output: String)
        case noFreePort
    }

    package struct Options: Sendable {
        /// Further settings of the server, such as `max_connections=5`.
        package var settings: [String]
        /// Whether what is committed survives a crash of the machine; off, because tests only crash processes.
        package var isDurable = false

        package init(_ settings: String...) {
            self.settings = settings
        }
    }

    private static let databases = Monitor(0)

    /// The server that all tests share who neither stop nor configure it.
    package static let shared = Result { try PostgresServer() }

    // `process` is touched by the one thread that starts and stops the server; `port` is written in `init` only.
    private var process: ChildProcess?
    private let files: PostgresFiles
    private let options: Options
    /// The port of 127.0.0.1, and of the socket's name.
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
            // Somebody was faster.
            stop()
            port = try freePort()
            try start()
        }
    }

    deinit {
        stop()
        files.removeSharedMemory()
    }

    /// Its directory, which holds the Unix socket; the directory `data` in it has the cluster.
    package var directory: String { files.directory.path }

    /// A URL by TCP, as a user with or without a password.
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
        // Behind the name, which is in parentheses and may contain some itself.
        return String(decoding: stat, as: UTF8.self).split(separator: ")").last?.dropFirst().first
    }

    /// The numbers of the server's processes beside its first.
    private func processes() throws -> [Int32] {
        guard let process else { return [] }
        let children = try File.read("/proc/\(process.identifier)/task/\(process.identifier)/children", limit: 1 << 16).bytes
        return children.split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
}

extension PostgresServer {
    /// Runs SQL as the superuser, each statement on its own.
    /// - Returns: what it printed, without headings.
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

    /// Makes a standby of this server, which follows it from then on; nothing waits for it yet.
    /// - Parameter name: the standby's application name, of small letters.
    package func standby(named name: String = "standby") throws -> PostgresServer {
        let files = try PostgresFiles()
        // The backup's connection string is also the standby's (-R).
        let primary = "host=\(directory) port=\(port) user=postgres application_name=\(name)"
        _ = try files.run("pg_basebackup", ["-D", files.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", primary])
        return try PostgresServer(files, options)
    }

    /// Has every commit from now on wait for the standby of this name, whether it is there or not; an empty name is nobody.
    package func setSynchronousStandby(_ name: String) throws {
        try sql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'", "SELECT pg_reload_conf()")
        // A new session knows it once the first process has read it and told the others; that the checkpointer has heeded it, which is what
        // counts for commits, is known when it has made a checkpoint since (UpdateSharedMemoryConfig of PostgreSQL's checkpointer.c).
        guard eventually({ (try? sql("SHOW synchronous_standby_names")) == "\(name)\n" }) else {
            throw Failure.commandFailed("pg_reload_conf", output: "")
        }
        try sql("CHECKPOINT")
    }

    /// Gives files in its directory to the user that the server runs as, readable by nobody else.
    package func take(ownershipOf names: [String]) throws {
        try files.take(ownershipOf: names)
    }

    /// Makes a primary of a standby, and waits until it takes writes.
    package func promote() throws {
        try sql("SELECT pg_promote()")
    }
}
