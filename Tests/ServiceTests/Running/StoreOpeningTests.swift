import Storage
import Testing

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

struct StoreOpeningTests {
    private static let store = Configuration.Store(kind: .memory, maximumPending: 7, minimumFreeMegabytes: 3)

    @Test func theConfigurationDecides() {
        var expected = StoreSettings()
        expected.maxPending = 7
        expected.minimumFreeBytes = 3_000_000
        expected.devicesPerUser = 5
        #expect(Self.store.settings(devicesPerUser: 5) { _ in nil } == expected)
    }

    @Test func benchmarksMakeItSlower() {
        let settings = Self.store.settings(devicesPerUser: 5) {
            ["DESKGATE_BENCHMARK_COMMIT_DELAY_MS": "6", "DESKGATE_BENCHMARK_BATCH": "1"][$0]
        }
        #expect(settings.commitDelayMilliseconds == 6)
        #expect(settings.maximumBatch == 1)
    }

    @Test(arguments: ["", "0", "-1", "many"]) func whatIsNoNumberIsPassedOver(text: String) {
        #expect(Self.store.settings(devicesPerUser: 20) { _ in text } == Self.store.settings(devicesPerUser: 20) { _ in nil })
    }
}
