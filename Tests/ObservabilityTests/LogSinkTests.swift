import Glibc
import TestSupport
import Testing
import Threading

@testable import Observability

struct LogSinkTests {
    static let notice = #"{"time":"2026-03-10T08:15:12.123Z","level":"warning","message":"log lines dropped","count":"#

    /// A line of 100 bytes that ends with its number.
    func numbered(_ number: Int) -> [UInt8] {
        let digits = String(number)
        return Array((String(repeating: ".", count: 89) + String(repeating: "0", count: 10 - digits.count) + digits + "\n").utf8)
    }

    /// The number in a notice of dropped lines.
    func count(in line: String) -> Int {
        Int(line.dropFirst(Self.notice.count).dropLast()) ?? 0
    }

    @Test(arguments: [false, true])
    func `dropped lines are counted and reported at their position`(_ isNonBlocking: Bool) throws {
        let pipe = TestPipe.small(isNonBlocking: isNonBlocking)
        let sink = try LogSink(descriptor: pipe.writeEnd, capacity: 1000, format: .json, now: testTime)
        var sent = 0
        while sink.droppedLines < 5 {
            sink.write(numbered(sent))
            sent += 1
        }
        let received = SharedBytes()
        let reader = startThread { received.append(pipe.readToEnd()) }
        sink.flush()
        sink.write(numbered(sent))
        sink.close()
        pipe.closeWriteEnd()
        reader.join()
        pipe.closeReadEnd()
        let written = lines(received.bytes)
        var next = 0
        for line in written {
            if line.hasPrefix(Self.notice) {
                next += count(in: line)
            } else {
                #expect(Int(line.suffix(10)) == next)
                next += 1
            }
        }
        #expect(next == sent + 1)
        #expect(written.contains { $0.hasPrefix(Self.notice) })
    }

    @Test(arguments: [false, true])
    func `flush waits for the reader`(_ isNonBlocking: Bool) throws {
        let pipe = TestPipe.small(isNonBlocking: isNonBlocking)
        let sink = try LogSink(descriptor: pipe.writeEnd, format: .json, now: testTime)
        for number in 0..<1000 { sink.write(numbered(number)) }
        let received = SharedBytes()
        let reader = startThread {
            while case let part = pipe.read(atMost: 500), !part.isEmpty { received.append(part) }
        }
        sink.flush()
        // Bytes that the reader lacks are in the pipe, or read but not yet appended.
        #expect(received.bytes.count >= 100_000 - Int(TestPipe.smallSize) - 500)
        sink.close()
        pipe.closeWriteEnd()
        reader.join()
        pipe.closeReadEnd()
        #expect(received.bytes == (0..<1000).flatMap(numbered))
        #expect(sink.droppedLines == 0)
    }

    @Test func `flush returns for an empty queue`() throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writeEnd, format: .json)
        sink.flush()
        sink.write(numbered(1))
        sink.flush()
        #expect(pipe.read(atMost: 1000) == numbered(1))
        sink.flush()
        sink.close()
        pipe.closeReadEnd()
        pipe.closeWriteEnd()
    }

    // In a process of its own: a program that another test starts briefly has the read end open.
    @Test func `a closed reader neither kills nor blocks the process`() async {
        await #expect(processExitsWith: .success) {
            let pipe = TestPipe()
            let sink = try LogSink(descriptor: pipe.writeEnd, format: .json, now: testTime)
            pipe.closeReadEnd()
            for number in 0..<3 {
                sink.write(LogSinkTests().numbered(number))
                sink.flush()
            }
            #expect(sink.droppedLines == 3)
            sink.close()
            pipe.closeWriteEnd()
        }
    }

    @Test func `a reader that closes within a line leaves the next line whole`() throws {
        let first = TestPipe.small()
        let second = TestPipe()
        let sink = try LogSink(descriptor: first.writeEnd, format: .json, now: testTime)
        sink.write([UInt8](repeating: UInt8(ascii: "x"), count: 100_000) + [UInt8(ascii: "\n")])
        #expect(!first.read(atMost: 1).isEmpty)
        first.closeReadEnd()
        sink.flush()
        #expect(dup2(second.writeEnd, first.writeEnd) == first.writeEnd)
        sink.write(numbered(7))
        sink.close()
        first.closeWriteEnd()
        second.closeWriteEnd()
        #expect(second.readToEnd() == Array("\n\(Self.notice)1}\n".utf8) + numbered(7))
        second.closeReadEnd()
        #expect(sink.droppedLines == 1)
    }

    @Test func `a line longer than the buffer is reported`() throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writeEnd, capacity: 100, format: .json, now: testTime)
        sink.write(numbered(1) + numbered(2))
        sink.flush()
        sink.write(numbered(3))
        sink.close()
        pipe.closeWriteEnd()
        #expect(pipe.readToEnd() == Array("\(Self.notice)1}\n".utf8) + numbered(3))
        pipe.closeReadEnd()
    }

    @Test func `after closing, lines are dropped without blocking`() throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writeEnd, format: .json, now: testTime)
        sink.write(numbered(1))
        sink.close()
        sink.close()
        sink.write(numbered(2))
        sink.flush()
        pipe.closeWriteEnd()
        #expect(pipe.readToEnd() == numbered(1))
        #expect(sink.droppedLines == 1)
        pipe.closeReadEnd()
    }

    @Test func `a released sink writes its lines`() throws {
        let pipe = TestPipe()
        do {
            let sink = try LogSink(descriptor: pipe.writeEnd, format: .json, now: testTime)
            sink.write(numbered(1))
        }
        pipe.closeWriteEnd()
        #expect(pipe.readToEnd() == numbered(1))
        pipe.closeReadEnd()
    }
}

/// Bytes that one thread appends and another reads.
private final class SharedBytes: Sendable {
    private let storage = Monitor<[UInt8]>([])

    var bytes: [UInt8] {
        storage.withLock { $0 }
    }

    func append(_ part: [UInt8]) {
        storage.withLock { $0 += part }
    }
}
