import Storage
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

struct StoreOpeningTests {
    private static let store = Configuration.Store(kind: .memory, maximumPending: 7, minimumFreeMegabytes: 3)

    @Test func `the configuration selects the store`() {
        var expected = StoreSettings()
        expected.maxPending = 7
        expected.minimumFreeBytes = 3_000_000
        expected.devicesPerUser = 5
        #expect(Self.store.settings(devicesPerUser: 5) == expected)
    }
}
