import Core
import Testing
import Time

/// The judge of the scenes sees each promise that is broken.
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

    @Test func `sees nothing where nothing is`() {
        #expect(broken(whole) == 0)
        // An answer was lost, and the first id counts; a delivery came twice.
        #expect(broken(whole + [.sent(1, Self.id(2)), .accepted(1, Self.id(1)), .delivered(1, Self.id(1).delivery(0))]) == 0)
    }

    @Test func `sees what is lost`() {
        #expect(broken(Array(whole.dropLast())) == 1)
    }

    @Test func `sees another id`() {
        #expect(broken(whole + [.delivered(1, Self.id(2).delivery(0))]) == 1)
        #expect(broken(whole + [.delivered(1, Self.id(1).delivery(1))]) == 1)
    }

    @Test func `sees what is accepted twice`() {
        // Then it has another id than was delivered, too.
        #expect(broken(whole + [.sent(1, Self.id(2)), .accepted(1, Self.id(2))]) == 2)
    }

    @Test func `sees what is taken for another`() {
        #expect(broken([.sent(1, Self.id(1)), .accepted(1, Self.id(2)), .delivered(1, Self.id(2).delivery(0))]) == 1)
    }

    @Test func `sees too many registrations and too few`() {
        let registration: [AcceptanceRecord.Entry] = [.asked("a"), .allowed("a")]
        let all = (0..<Load.limit).flatMap { _ in registration }
        #expect(broken(all + [.asked("a"), .denied("a")]) == 0)
        #expect(broken(all + registration) == 1)
        #expect(broken(Array(all.dropLast(2)) + [.asked("a"), .denied("a")]) == 1)
        // One had no answer, so that it may have counted.
        #expect(broken(Array(all.dropLast()) + [.asked("a"), .denied("a")]) == 0)
    }

    @Test func `sees a device that had signed out`() {
        #expect(broken(whole + [.signedOut(1, device: "d"), .addressed(1, device: "e")]) == 0)
        #expect(broken(whole + [.signedOut(1, device: "d"), .addressed(1, device: "d")]) == 1)
    }

    @Test func `reads what another process has written`() {
        let entries: [AcceptanceRecord.Entry] =
            whole + [.asked("a b"), .allowed("a"), .denied("a"), .signedOut(1, device: "d"), .addressed(1, device: "e"), .broken("x y")]
        let lines = entries.map(\.line)
        #expect(lines.compactMap { AcceptanceRecord.Entry(line: $0)?.line } == lines)
        let coalescer = AcceptanceRecord()
        coalescer.take(journal: Array("\(lines.joined(separator: "\n"))\naccepted 7".utf8))
        #expect(Verdict(coalescer.everything).accepted == 1)
    }
}
