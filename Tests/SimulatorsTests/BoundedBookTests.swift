import Testing

@testable import Simulators

/// Values by name, of which the oldest are forgotten.
@Suite struct BoundedBookTests {
    @Test func forgetsTheOldestName() {
        var book = BoundedBook<Int>(capacity: 3)
        for number in 1...4 { book.set(number, for: "\(number)") }
        #expect(["1", "2", "3", "4"].map { book[$0] } == [nil, 2, 3, 4])
        book.set(20, for: "2")
        #expect(book["2"] == 20 && book["3"] == 3, "a name that is there takes no other's place")
        for number in 5...9 { book.set(number, for: "\(number)") }
        #expect(["2", "6", "7", "8", "9"].map { book[$0] } == [nil, nil, 7, 8, 9])
    }

    @Test func changesInPlaceAndComparesBytes() {
        var book = BoundedBook<Int>(capacity: 3)
        book.set(1, for: "caf\u{E9}")
        book.set(2, for: "cafe\u{301}")
        let before = book.change("caf\u{E9}") { value in
            defer { value += 10 }
            return value
        }
        #expect(before == 1 && book["caf\u{E9}"] == 11 && book["cafe\u{301}"] == 2)
        #expect(book.change("other") { _ in } == nil)
    }
}
