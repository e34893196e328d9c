import SQLite
import TestSupport
import Testing
import Threading

/// Several connections to one file.
@Suite struct SharingTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestDatabase()
        connection = try database.openWithItems()
    }

    @Test(arguments: [0, 1, 20] as [Int32])
    func `stops waiting for a writer at the timeout`(milliseconds: Int32) throws {
        let other = try database.open()
        other.setBusyTimeout(milliseconds: milliseconds)
        try connection.transaction { () throws(SQLiteError) in
            try connection.add("a")
            let error = failure { () throws(SQLiteError) in
                try other.transaction { () throws(SQLiteError) in #expect(Bool(false), "two transactions write at once") }
            }
            #expect(error?.isBusy == true)
            #expect(failure { () throws(SQLiteError) in try other.add("b") }?.isBusy == true)
        }
        try other.transaction { () throws(SQLiteError) in try other.add("b") }
        #expect(try connection.names() == ["a", "b"])
    }

    @Test func `reports a locked file when it is opened`() throws {
        let path = database.directory.path("locked.db")
        let holder = try Connection(path: path, mode: .readWriteCreate)
        try holder.execute("BEGIN EXCLUSIVE; CREATE TABLE a (b)")
        let error = failure { () throws(SQLiteError) in _ = try Connection(path: path, mode: .readWriteCreate) }
        #expect(error?.isBusy == true)
        #expect(error?.remedy == "another process keeps the file locked: stop it")
    }

    @Test func `shows a reader its old snapshot`() throws {
        try connection.add("a")
        let reader = try Connection(path: database.path, mode: .readOnly)
        try reader.execute("BEGIN")
        #expect(try reader.names() == ["a"])
        try connection.transaction { () throws(SQLiteError) in
            try connection.add("b")
            #expect(try reader.names() == ["a"])
        }
        #expect(try reader.names() == ["a"])
        try reader.execute("COMMIT")
        #expect(try reader.names() == ["a", "b"])
    }

    @Test func `releases its snapshot after the last row`() throws {
        let reader = try Connection(path: database.path, mode: .readOnly)
        let count = try Statement(reader, "SELECT count(*) FROM item")
        for expected in 0..<3 {
            #expect(try count.step())
            #expect(try count.int64(0) == expected)
            #expect(try !count.step())
            try connection.add("\(expected)")
        }
    }

    @Test func `accepts writes from two threads`() throws {
        let failures = Monitor([SQLiteError]())
        let threads = (0..<2).map { thread in
            startThread { [database] in
                let error = failure { () throws(SQLiteError) in
                    let connection = try database.open()
                    connection.setBusyTimeout(milliseconds: Int32(WaitLimit.milliseconds))
                    for number in 0..<50 {
                        try connection.transaction { () throws(SQLiteError) in try connection.add("\(thread) \(number)") }
                    }
                    try connection.close()
                }
                if let error { failures.withLock { $0.append(error) } }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == [])
        let names = try connection.names()
        #expect(names.filter { $0.hasPrefix("0") } == (0..<50).map { "0 \($0)" })
        #expect(names.filter { $0.hasPrefix("1") } == (0..<50).map { "1 \($0)" })
    }
}
