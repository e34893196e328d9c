import Postgres
import TestSupport
import Testing
import Threading

@Suite struct TransactionTests {
    @Test(arguments: [true, false])
    func `a transaction commits its changes`(isPreparing: Bool) throws {
        let connection = try connect(preparing: isPreparing)
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let result = try connection.transaction(by: .deferrable) { () throws(PostgresError) in
            try connection.run("INSERT INTO item VALUES (1)")
            try connection.run("INSERT INTO item VALUES (2)")
            return 7
        }
        #expect(result == 7)
        #expect(try connection.number("SELECT count(*) FROM item") == 2)
    }

    @Test(arguments: [true, false])
    func `commits with the last statements`(isPreparing: Bool) throws {
        let connection = try connect(preparing: isPreparing)
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let insert = { (id: Int64) in Query("INSERT INTO item VALUES ($1)", .int8(id)) }
        for id in [1, 3] as [Int64] {
            let rows = try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                _ = try connection.number("SELECT count(*) FROM item")
                return try connection.commit([insert(id), insert(id + 1)], by: .deferrable)
            }
            #expect(rows.map { $0.affectedCount } == [1, 1])
        }
        let rows = try connection.transaction(by: .deferrable) { () throws(PostgresError) in
            try connection.commit([insert(5)], by: .deferrable)
        }
        #expect(rows.count == 1)
        #expect(try connection.number("SELECT count(*) FROM item") == 5)
    }

    @Test func `rolls back when the body throws`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.run("INSERT INTO item VALUES (1)")
                try connection.run("INSERT INTO item VALUES (1)")
            }
        }
        #expect(error?.isUniqueViolation == true)
        #expect(try connection.number("SELECT count(*) FROM item") == 0)
    }

    @Test func `rolls back when the commit fails`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE part (id int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        for isTogether in [true, false] {
            let error = failure { () throws(PostgresError) in
                try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                    try connection.run("INSERT INTO part VALUES (1)")
                    if isTogether { try connection.commit([Query("INSERT INTO part VALUES (1)")], by: .deferrable) }
                    if !isTogether { try connection.run("INSERT INTO part VALUES (1)") }
                }
            }
            #expect(error?.isUniqueViolation == true)
            #expect(error?.commitIsInDoubt == false)
            #expect(error?.queryIndex == nil)
        }
        #expect(try connection.number("SELECT count(*) FROM part") == 0)
    }

    @Test func `rolls back when the last statements fail`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let insert = Query("INSERT INTO item VALUES (1)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                _ = try connection.commit([insert, insert], by: .deferrable)
            }
        }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.queryIndex == 1)
        #expect(error?.commitIsInDoubt == false)
        #expect(try connection.number("SELECT count(*) FROM item") == 0)
    }

    @Test func `reports an ignored failure`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.run("INSERT INTO item VALUES (1)")
                #expect(failure { () throws(PostgresError) in try connection.run("SELECT 1/0") }?.sqlState == "22012")
                #expect(failure { () throws(PostgresError) in try connection.run("SELECT 1") }?.sqlState == .failedTransaction)
            }
        }
        #expect(error?.sqlState == .failedTransaction)
        #expect(error?.commitIsInDoubt == false)
        #expect(try connection.number("SELECT count(*) FROM item") == 0)
    }

    @Test func `an empty transaction sends nothing`() throws {
        let connection = try connect()
        let result = try connection.transaction(by: .deferrable) { () throws(PostgresError) in 3 }
        #expect(result == 3)
        #expect(try connection.number("SELECT 1") == 1)
    }

    @Test func `reports serialization failures`() throws {
        let (first, second) = (try connect(), try connect())
        try first.run("CREATE TABLE serialized (id int8)")
        let error = failure { () throws(PostgresError) in
            try first.transaction(.serializable, by: .deferrable) { () throws(PostgresError) in
                _ = try first.number("SELECT count(*) FROM serialized")
                try second.transaction(.serializable, by: .deferrable) { () throws(PostgresError) in
                    _ = try second.number("SELECT count(*) FROM serialized")
                    try second.run("INSERT INTO serialized VALUES (2)")
                }
                try first.run("INSERT INTO serialized VALUES (1)")
            }
        }
        #expect(error?.sqlState == .serializationFailure)
        #expect(error?.isRetryable == true)
        #expect(error?.commitIsInDoubt == false)
        #expect(try first.number("SELECT sum(id)::int8 FROM serialized") == 2)
    }

    @Test func `reports deadlocks`() throws {
        let connection = try connect()
        try connection.run("CREATE TABLE locked (id int8 PRIMARY KEY, changes int8 NOT NULL)")
        try connection.run("INSERT INTO locked VALUES (0, 0), (1, 0)")
        let errors = Monitor<[PostgresError]>([])
        let ready = Monitor(0)
        onThreads(2) { index in
            do {
                let connection = try connect(query: "options=-c%20deadlock_timeout%3D10ms")
                try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                    let change = { (id: Int) in Query("UPDATE locked SET changes = changes + 1 WHERE id = $1", .int8(Int64(id))) }
                    try connection.run(change(index), by: .deferrable)
                    ready.update { $0 += 1 }
                    _ = ready.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 2 ? true : nil }
                    try connection.run(change(1 - index), by: .deferrable)
                }
            } catch let error as PostgresError {
                errors.withLock { $0.append(error) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(errors.withLock { $0.map { $0.sqlState } } == [.deadlockDetected])
        #expect(errors.withLock { $0.allSatisfy { $0.isRetryable && !$0.commitIsInDoubt } })
        #expect(try connection.number("SELECT sum(changes)::int8 FROM locked") == 2)
    }
}
