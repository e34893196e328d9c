import Testing

@testable import Simulators

/// A dictionary that evicts its oldest names.
@Suite struct BoundedDictionaryTests {
    @Test func `evicts the oldest name`() {
        var records = BoundedDictionary<Int>(capacity: 3)
        for number in 1...4 { records.set(number, for: "\(number)") }
        #expect(["1", "2", "3", "4"].map { records[$0] } == [nil, 2, 3, 4])
        records.set(20, for: "2")
        #expect(records["2"] == 20 && records["3"] == 3, "a name that is there takes no other's place")
        for number in 5...9 { records.set(number, for: "\(number)") }
        #expect(["2", "6", "7", "8", "9"].map { records[$0] } == [nil, nil, 7, 8, 9])
    }

    @Test func `changes in place and compares bytes`() {
        var records = BoundedDictionary<Int>(capacity: 3)
        records.set(1, for: "caf\u{E9}")
        records.set(2, for: "cafe\u{301}")
        let before = records.change("caf\u{E9}") { value in
            defer { value += 10 }
            return value
        }
        #expect(before == 1)
        #expect(records["caf\u{E9}"] == 11)
        #expect(records["cafe\u{301}"] == 2)
        #expect(records.change("other") { _ in } == nil)
    }
}
