import Glibc
import JSON
import SQLite
import Storage
import TestSupport
import Testing

/// `deskgate serve` on a store that it cannot use: one line says why and what to do, and it ends with 2.
@Suite struct StoreStartTests {
    private func workspace(_ path: String = "deskgate.db") throws -> Workspace {
        try Workspace(["store": ["path": .string(path), "minimum_free_megabytes": 0]])
    }

    @Test func directoryIsReadOnly() throws {
        let disk = SmallDisk.isPermitted ? try SmallDisk() : nil
        let workspace = try workspace(disk?.path("deskgate.db") ?? "data/deskgate.db")
        if let disk {
            try disk.makeReadOnly()
        } else {
            // Root may write anywhere, others are kept out by the mode.
            #expect(unsafe mkdir(workspace.directory.path("data"), 0o500) == 0)
        }
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.hasPrefix("deskgate: cannot open "))
        #expect(errors.hasSuffix("its directory must exist, and this user must be allowed to write there\n"))
    }

    @Test func fileIsNoDatabase() throws {
        let workspace = try workspace()
        try workspace.write("deskgate.db", String(repeating: "x", count: 8192), mode: 0o600)
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.contains(workspace.directory.path("deskgate.db")))
        #expect(errors.contains("not a database"))
    }

    @Test func fileIsDamaged() throws {
        let workspace = try workspace()
        let path = workspace.directory.path("deskgate.db")
        try SQLiteStore(path: path, announcer: { _ in preconditionFailure("no device registers here") }).close()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("UPDATE runs SET closed = 0")
        try connection.close()
        // Every page but the first, which says what the file is.
        let size = 16 * 4096
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        #expect(pwriteAll(descriptor, Array(repeating: 0xA5, count: size - 4096), at: 4096))
        close(descriptor)
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.hasPrefix("deskgate: \(path)"))
        #expect(errors.contains("restore"))
    }

    @Test func anotherServiceHasIt() throws {
        let workspace = try workspace()
        let first = try RunningServer(workspace)
        let path = workspace.directory.path("deskgate.db")
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors == "deskgate: \(path) is used by another process; stop it, or name another path\n")
        #expect(try first.stop() == .exit(0))
    }

    @Test func aToolKeepsItLocked() throws {
        let workspace = try workspace()
        let path = workspace.directory.path("deskgate.db")
        try SQLiteStore(path: path, announcer: { _ in preconditionFailure("no device registers here") }).close()
        let tool = try Connection(path: path, mode: .readWriteCreate)
        var errors: String?
        try tool.transaction { () throws(SQLiteError) in errors = try? RunningServer.complaint(of: workspace) }
        #expect(errors?.hasPrefix("deskgate: \(path)") == true)
        #expect(errors?.contains("another process keeps the file locked: stop it") == true)
        try tool.close()
    }

    private func pwriteAll(_ descriptor: Int32, _ bytes: [UInt8], at offset: Int) -> Bool {
        unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count
    }
}
