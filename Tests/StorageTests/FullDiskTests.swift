import Core
import Glibc
import POSIX
import Storage
import TestSupport
import Testing
import Time

@Suite struct FullDiskTests {
    /// Accepts events until the store refuses one.
    /// - Returns: the number of accepted events, and the refusal.
    private func fill(_ store: SQLiteStore) -> (count: Int, error: StoreError?) {
        for number in 0..<10_000 {
            let sample = Sample(number).with { $0.data = Array(repeating: 1, count: 4000) }
            do throws(StoreError) {
                _ = try store.take(sample.incoming())
            } catch {
                return (number, error)
            }
        }
        return (10_000, nil)
    }

    @Test func `keeps accepted events and accepts more once there is room`() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maximumFileBytes = 1 << 20
        settings.probeIntervalMilliseconds = 5
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { store.close() }
        let (count, error) = fill(store)
        #expect(error?.kind == .diskFull)
        #expect(count > 50)
        #expect(try store.pending().map(\.count) == [count])
        #expect(try store.all().count == count)
        for delivery in try store.claim(at: 2000, limit: 20) { try store.report(delivery, next: .delivered, at: 2001) }
        #expect(try store.purge(now: 2002, deliveredBefore: 9000, deadBefore: 0, limit: 20) == 20)
        #expect(eventually { store.refusal == nil })
        let late = Sample(20_000).with { $0.data = Array(repeating: 1, count: 4000) }
        #expect(try store.take(late.incoming()) == .accepted)
        #expect(try store.pending().map(\.count) == [count - 19])
    }

    /// - Parameter probeMilliseconds: the interval at which an idle store checks for room. The longer one does not pass in this test.
    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"), arguments: [5, 3_600_000] as [UInt64])
    func `survives a full disk`(probeMilliseconds: UInt64) throws {
        let isProbing = probeMilliseconds == 5
        let disk = try SmallDisk()
        try disk.fill("ballast", bytes: 700_000)
        var settings = StoreSettings()
        settings.minimumFreeBytes = 0
        settings.probeIntervalMilliseconds = probeMilliseconds
        let path = disk.path("store.db")
        let store = try SQLiteStore(path: path, settings: settings)
        let (count, error) = fill(store)
        #expect(error?.kind == .diskFull)
        // A probe may find room in pages of the log that are already allocated.
        if !isProbing { #expect(store.refusal?.kind.rawValue == "disk_full") }
        #expect(try store.all().count == count)
        disk.remove("ballast")
        if isProbing { #expect(eventually { store.refusal == nil }, "it finds the room by itself") }
        #expect(try store.take(Sample(20_000).incoming(to: [])) == .accepted)
        #expect(store.refusal == nil)
        store.close()
        let again = try SQLiteStore(path: path, settings: settings)
        defer { again.close() }
        #expect(try again.pending().map(\.count) == [count])
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a file that does not fit is not left half written`() throws {
        let disk = try SmallDisk()
        let failure = try #require(throws: SystemError.self) {
            try File.create(disk.path("file"), mode: 0o600, [UInt8](repeating: 1, count: 4 << 20))
        }
        #expect(failure.code == ENOSPC)
        #expect(disk.contents() == [])
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `reports missing write permission`() throws {
        let disk = try SmallDisk()
        let store = try SQLiteStore(path: disk.path("store.db"))
        store.close()
        try disk.makeReadOnly()
        do throws(StoreError) {
            try SQLiteStore(path: disk.path("store.db")).close()
            Issue.record("the store was opened")
        } catch {
            #expect(error.kind == .unavailable)
            #expect(error.description.contains("must be allowed to write"))
        }
    }

    @Test func `leaves the reserve of the disk free`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let first = try SQLiteStore(path: path)
        try first.take(Sample(1))
        first.close()
        var settings = StoreSettings()
        settings.minimumFreeBytes = .max
        settings.probeIntervalMilliseconds = 5
        let store = try SQLiteStore(path: path, settings: settings)
        defer { store.close() }
        #expect(eventually { store.refusal?.kind.rawValue == "disk_full" }, "it looks without being asked")
        #expect(throws: StoreError.self) { try store.take(Sample(2)) }
        #expect(try store.take(Sample(1).incoming(to: [])) == .duplicate(of: Sample(1).event.id))
        for delivery in try store.claim(at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        #expect(try store.pending() == [], "what it has it still delivers")
    }
}
