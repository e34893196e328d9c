import Core
import Glibc
import Testing

@testable import POSIX
@testable import SQLite
@testable import Storage

@Suite struct StoreErrorRemedyTests {
    /// SQLITE_FULL, which has its own remedy.
    private static let full = SQLiteError(code: 13)
    /// SQLITE_ERROR, which has no remedy.
    private static let other = SQLiteError(code: 1)

    @Test func `a store with unsaved data has a separate remedy`() {
        let error = StoreError.notSaved("s.db", StoreError(.diskFull, "no room", remedy: "free space"))
        let cause = "s.db was moved, removed or replaced while it is in use, and its data could not be saved yet (no room)"
        #expect(error.cause == cause)
        #expect(error.remedy == "do not stop the service: put the file back, or: free space")
        #expect(
            StoreError.notSaved("s.db", StoreError(.unavailable, "away")).remedy == "do not stop the service: put the file back")
    }

    @Test func `a partly replaced store has a separate remedy`() {
        let error = StoreError.halfReplaced(
            "s.db", former: "s.db.before-1", error: SystemError(code: EIO), second: SystemError(code: EACCES))
        #expect(error.cause.hasPrefix("s.db could not be replaced ("))
        #expect(!error.cause.contains("before the service starts"))
        #expect(error.remedy?.hasPrefix("before the service starts, rename s.db.before-1 and s.db.before-1-wal") == true)
    }

    @Test func `a store that could not be closed has both remedies`() {
        let error = StoreError.notClosed("s.db", Self.full)
        #expect(error.cause == "s.db could not be marked as closed: \(Self.full.cause)")
        #expect(error.remedy?.hasPrefix("free space on the disk that holds the file; nothing is lost: ") == true)
        #expect(StoreError.notClosed("s.db", Self.other).remedy?.hasPrefix("nothing is lost: ") == true)
    }
}
