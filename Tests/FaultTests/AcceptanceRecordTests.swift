import Core
import Testing
import Time

/// The record detects each broken guarantee.
@Suite struct AcceptanceRecordTests {
    private static func id(_ number: Int) -> UUIDv7 {
        UUIDv7(milliseconds: 1, random: InlineArray { $0 == 7 ? UInt8(number) : 0 }).event
    }

    private func broken(_ entries: [AcceptanceRecord.Entry]) -> Int {
        let coalescer = AcceptanceRecord()
        for entry in entries { coalescer.note(entry) }
        return Verdict(coalescer.everything).broken.count
    }

    private let whole: [AcceptanceRecord.Entry] = [.sent(1, id(1)), .accepted(1, id(1)), .delivered(1, id(1).delivery(0))]

    @Test func `detects nothing without a fault`() {
        #expect(broken(whole) == 0)
        // A response was lost, so the first id is valid; a delivery arrived twice.
        #expect(broken(whole + [.sent(1, Self.id(2)), .accepted(1, Self.id(1)), .delivered(1, Self.id(1).delivery(0))]) == 0)
    }

    @Test func `detects a lost event`() {
        #expect(broken(Array(whole.dropLast())) == 1)
    }

    @Test func `detects another id`() {
        #expect(broken(whole + [.delivered(1, Self.id(2).delivery(0))]) == 1)
        #expect(broken(whole + [.delivered(1, Self.id(1).delivery(1))]) == 1)
    }

    @Test func `detects a second acceptance`() {
        // It also has another id than the delivered one.
        #expect(broken(whole + [.sent(1, Self.id(2)), .accepted(1, Self.id(2))]) == 2)
    }

    @Test func `detects a confused event`() {
        #expect(broken([.sent(1, Self.id(1)), .accepted(1, Self.id(2)), .delivered(1, Self.id(2).delivery(0))]) == 1)
    }

    @Test func `detects too many and too few registrations`() {
        let registration: [AcceptanceRecord.Entry] = [.asked("a"), .allowed("a")]
        let all = (0..<Load.limit).flatMap { _ in registration }
        #expect(broken(all + [.asked("a"), .denied("a")]) == 0)
        #expect(broken(all + registration) == 1)
        #expect(broken(Array(all.dropLast(2)) + [.asked("a"), .denied("a")]) == 1)
        // One had no response, so it may have been counted.
        #expect(broken(Array(all.dropLast()) + [.asked("a"), .denied("a")]) == 0)
    }

    @Test func `detects a delivery to a signed-out device`() {
        #expect(broken(whole + [.signedOut(1, device: "d"), .addressed(1, device: "e")]) == 0)
        #expect(broken(whole + [.signedOut(1, device: "d"), .addressed(1, device: "d")]) == 1)
    }

    @Test func `parses the journal of another process`() {
        let entries: [AcceptanceRecord.Entry] =
            whole + [.asked("a b"), .allowed("a"), .denied("a"), .signedOut(1, device: "d"), .addressed(1, device: "e"), .broken("x y")]
        let lines = entries.map(\.line)
        #expect(lines.compactMap { AcceptanceRecord.Entry(line: $0)?.line } == lines)
        let coalescer = AcceptanceRecord()
        coalescer.take(journal: Array("\(lines.joined(separator: "\n"))\naccepted 7".utf8))
        #expect(Verdict(coalescer.everything).accepted == 1)
    }
}
