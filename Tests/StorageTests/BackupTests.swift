import Core
import Glibc
import POSIX
import SQLite
import Storage
import TestSupport
import Testing
import Time

@Suite struct BackupTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let backup: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.db")
        backup = directory.path("backup.db")
    }

    /// A closed store, most of whose pages contain texts.
    private func fill() throws {
        let store = try SQLiteStore(path: path)
        for number in 0..<200 { try store.take(Sample(number).with { $0.data = Array(repeating: 1, count: 4000) }) }
        store.close()
    }

    private func count(_ path: String) throws -> Int {
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        return try store.all().count
    }

    @Test func `is complete while the store is written`() throws {
        let store = try SQLiteStore(path: path)
        for number in 0..<20 { try store.take(Sample(number)) }
        try StoreFile.backUp(path, to: backup)
        try store.take(Sample(20))
        store.close()
        #expect(try count(backup) == 20)
        #expect(try count(path) == 21)
        #expect(directory.contents() == ["backup.db", "store.db"], "it leaves nothing else")
    }

    /// In its own process, because the mask is a property of the process.
    @Test func `a backup is readable only by its owner under any umask`() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let directory = try TemporaryDirectory()
            let (path, backup) = (directory.path("store.db"), directory.path("backup.db"))
            let store = try SQLiteStore(path: path)
            try StoreFile.backUp(path, to: backup)
            store.close()
            var status = stat()
            let isThere = unsafe stat(backup, &status) == 0
            #expect(isThere)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `overwrites no file`() throws {
        try SQLiteStore(path: path).close()
        try directory.write("backup.db", "somebody's")
        let failure = #expect(throws: StoreError.self) { try StoreFile.backUp(path, to: backup) }
        #expect(failure?.description == "\(backup) exists already; name a file that does not")
        #expect(try directory.read("backup.db") == "somebody's")
        #expect(throws: StoreError.self) { try StoreFile.backUp(directory.path("none.db"), to: directory.path("other.db")) }
        #expect(directory.contents() == ["backup.db", "store.db"])
        try StoreFile.backUp(path, to: directory.path("other.db"))
        #expect(directory.contents() == ["backup.db", "other.db", "store.db"], "it leaves nothing else")
    }

    @Test func `is not created from a damaged store`() throws {
        try fill()
        try directory.write("store.db", Damage.overwritten.apply(to: try FileBytes.read(path)))
        let failure = #expect(throws: StoreError.self) { try StoreFile.backUp(path, to: backup) }
        #expect(failure?.description.hasPrefix("\(path) is damaged: ") == true, "not the new file")
        #expect(directory.contents() == ["store.db"])
    }

    @Test(arguments: Damage.allCases) fileprivate func `a damaged backup is reported and changes nothing`(damage: Damage) throws {
        try fill()
        try StoreFile.backUp(path, to: backup)
        try directory.write("backup.db", damage.apply(to: try FileBytes.read(backup)))
        let before = try FileBytes.read(path)
        let failure = try #require(throws: StoreError.self) { try StoreFile.restore(backup, to: path, asItIs: false) }
        #expect(failure.kind == .corrupt)
        #expect(failure.description.contains(backup))
        #expect(!failure.description.contains(path))
        #expect(failure.description.contains(damage.finding))
        #expect(try FileBytes.read(path) == before)
        #expect(directory.contents() == ["backup.db", "store.db"])
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a backup without room on the disk leaves no file`() throws {
        try fill()
        let disk = try SmallDisk()
        try disk.fill("ballast", bytes: 2 << 20 - 64 << 10)
        let failure = try #require(throws: StoreError.self) { try StoreFile.backUp(path, to: disk.path("backup.db")) }
        #expect(failure.kind == .diskFull)
        #expect(failure.description.hasPrefix("\(disk.path("backup.db")): "))
        #expect(disk.contents() == ["ballast"])
    }

    @Test func `replaces a store that has a log`() throws {
        let store = try SQLiteStore(path: path)
        try store.take(Sample(1))
        try StoreFile.backUp(path, to: backup)
        for number in 2..<9 { try store.take(Sample(number)) }
        // A killed process leaves its log, which must not be used with the backup.
        try directory.write("site/store.db", try FileBytes.read(path))
        try directory.write("site/store.db-wal", try FileBytes.read(path + "-wal"))
        store.close()
        let site = directory.path("site/store.db")
        let former = try #require(try StoreFile.restore(backup, to: site, asItIs: false))
        #expect(try count(site) == 1)
        #expect(try count(former) == 8, "the former store is whole")
        #expect(File.exists(backup))
    }

    @Test(arguments: ["", "-wal"]) func `a restore does not reuse the name of an earlier one`(suffix: String) throws {
        try fill()
        try StoreFile.backUp(path, to: backup)
        let now = SystemClock.unixSeconds()
        for second in 0..<600 { try directory.write("store.db.before-\(now + UInt64(second))\(suffix)", "") }
        let former = try #require(try StoreFile.restore(backup, to: path, asItIs: false))
        #expect(former == "\(path).before-\(now + 600)")
        #expect(try count(former) == 200)
    }

    @Test func `is restored when there is no store`() throws {
        let store = try SQLiteStore(path: path)
        try store.take(Sample(1))
        store.close()
        try directory.write("site/store.db-wal", "left behind")
        #expect(try StoreFile.restore(path, to: directory.path("site/store.db"), asItIs: false) == nil)
        #expect(try count(directory.path("site/store.db")) == 1)
    }

    @Test func `an empty file is not a backup`() throws {
        try directory.write("empty.db", "")
        let failure = #expect(throws: StoreError.self) { try StoreFile.restore(directory.path("empty.db"), to: path, asItIs: false) }
        #expect(failure?.remedy == "it is no backup: name another file")
    }

    @Test func `rejects a store in use and a file that is no backup`() throws {
        let store = try SQLiteStore(path: path)
        try StoreFile.backUp(path, to: backup)
        let failure = #expect(throws: StoreError.self) { try StoreFile.restore(backup, to: path, asItIs: false) }
        #expect(failure?.description.contains("is used by another process") == true)
        try store.take(Sample(1))
        try directory.write("copy.db", try FileBytes.read(path))
        store.close()
        try directory.write("text.db", "no database")
        for bad in ["copy.db", "text.db", "none.db"] {
            #expect(throws: StoreError.self) { try StoreFile.restore(directory.path(bad), to: path, asItIs: false) }
        }
        #expect(try count(path) == 1)
        let former = try StoreFile.restore(directory.path("copy.db"), to: path, asItIs: true)
        #expect(former != nil)
        #expect(try count(path) == 0)
    }
}

/// A damage of a file, and the resulting message.
private enum Damage: CaseIterable {
    case overwritten, truncated, header, empty

    var finding: String {
        switch self {
        case .overwritten: "is damaged: "
        case .truncated: "database disk image is malformed"
        case .header: "file is not a database"
        case .empty: "has no tables"
        }
    }

    func apply(to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        switch self {
        case .overwritten:
            // The position of the texts.
            for index in stride(from: bytes.count / 4, to: bytes.count / 2, by: 3) { bytes[index] = 0xA5 }
        case .truncated: bytes.removeLast(bytes.count / 2)
        case .header: bytes.replaceSubrange(0..<100, with: [UInt8](repeating: 0xA5, count: 100))
        case .empty: bytes = []
        }
        return bytes
    }
}
