import Testing
import Time

@testable import Storage

/// The start of index scans of claims, which moves when dead rows make a scan slow.
@Suite struct ClaimFloorTests {
    private let place = ClaimFloor.Place(due: 5, event: 6, position: 0)
    private var floor = ClaimFloor()

    private mutating func note(_ milliseconds: UInt64, from start: ClaimFloor.Place = .start, now: MonotonicMilliseconds) {
        floor.note(milliseconds, from: start, found: place, now: now)
    }

    @Test mutating func `a fast scan changes nothing`() {
        note(5, now: 1000)
        #expect(floor.start(1000) == .start)
    }

    @Test(arguments: [(6, 1999, 2000), (200, 4999, 5000)] as [(UInt64, MonotonicMilliseconds, MonotonicMilliseconds)])
    mutating func `after a slow scan the next ones begin at the first row found`(
        took: UInt64, last: MonotonicMilliseconds, over: MonotonicMilliseconds
    ) {
        note(took, now: 1000)
        #expect(floor.start(last) == place)
        #expect(floor.start(over) == .start)
    }

    @Test mutating func `a scan that began at the floor does not prove that earlier rows are gone`() {
        note(100, now: 1000)
        note(0, from: place, now: 1100)
        #expect(floor.start(1200) == place)
        note(0, now: 3000)
        #expect(floor.start(3000) == .start)
    }
}
