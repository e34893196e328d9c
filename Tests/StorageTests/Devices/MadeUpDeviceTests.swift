import Core
import POSIX
import Storage
import TestSupport
import Testing
import Time

/// A client with one valid key may sign out any number of invented devices: beyond a few, none of them is written.
@Suite struct MadeUpDeviceTests {
    private static let devicesPerUser = 3

    @Test func `sign-outs of invented devices are not written`() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.devicesPerUser = Self.devicesPerUser
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { store.close() }
        for number in 0..<Self.devicesPerUser {
            #expect(try store.put(nil, device: "made-up-\(number)", at: 5000) == .unchanged)
        }
        let before = try log(directory)
        for number in 0..<100 { #expect(try store.put(nil, device: "made-up-\(number)", at: 5001) == .unchanged) }
        #expect(try log(directory) == before, "neither new names nor repetitions are written")
        #expect(try store.put("A", device: "phone", at: 5002) == .registered)
        #expect(try log(directory) != before, "what changes something is")
    }

    private func log(_ directory: borrowing TemporaryDirectory) throws -> [UInt8] {
        try File.read(directory.path("store.db-wal"), limit: 1 << 28).bytes
    }
}
