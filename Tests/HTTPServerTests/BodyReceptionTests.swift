import Testing

@testable import HTTPServer

@Suite struct BodyReceptionTests {
    private let drain = Int(BodyReception.drainLimit)

    private static let declared: [(length: UInt64, expectsContinue: Bool, isRefused: Bool, receives: Bool)] = [
        (0, false, false, true), (10, false, false, true), (10, true, false, true), (11, false, false, true), (11, true, false, false),
        (BodyReception.drainLimit, false, false, true), (BodyReception.drainLimit + 1, false, false, false), (.max, false, false, false),
        (0, false, true, true), (10, false, true, true), (0, true, true, false), (BodyReception.drainLimit + 1, false, true, false),
    ]

    @Test(arguments: declared)
    func `begins with declared bodies`(length: UInt64, expectsContinue: Bool, isRefused: Bool, receives: Bool) {
        var reception = BodyReception(limit: 10)
        let start = reception.begin(declaredLength: length, expectsContinue: expectsContinue, isRefused: isRefused)
        #expect((start == .receive) == receives)
        #expect(reception.isTooLarge == (length > 10))
    }

    @Test(arguments: [(false, false, true), (true, false, true), (false, true, true), (true, true, false)])
    func `begins with chunked bodies`(expectsContinue: Bool, isRefused: Bool, receives: Bool) {
        var reception = BodyReception(limit: 10)
        let start = reception.begin(declaredLength: nil, expectsContinue: expectsContinue, isRefused: isRefused)
        #expect((start == .receive) == receives)
        #expect(!reception.isTooLarge)
    }

    @Test func `stores up to the limit then discards then aborts`() {
        var reception = BodyReception(limit: 10)
        #expect(reception.begin(declaredLength: nil, expectsContinue: false, isRefused: false) == .receive)
        #expect(reception.add(9) == .store)
        #expect(reception.add(1) == .store)
        #expect(!reception.isTooLarge)
        #expect(reception.add(1) == .discard)
        #expect(reception.isTooLarge)
        #expect(reception.add(drain - 1) == .discard)
        #expect(reception.add(1) == .abort)
    }

    @Test func `discards a body that was declared too large`() {
        var reception = BodyReception(limit: 10)
        #expect(reception.begin(declaredLength: 11, expectsContinue: false, isRefused: false) == .receive)
        #expect(reception.add(1) == .discard)
    }

    @Test func `keeps no bytes with a limit of zero`() {
        var reception = BodyReception(limit: 0)
        #expect(reception.add(1) == .discard)
    }

    @Test func `buffers parts of any size in order`() {
        var buffer = BodyBuffer(room: BodyRoom(bytes: 1 << 20))
        for size in [1, 1023, 1, 5000, 20_000] {
            var expected: [UInt8] = []
            for part in 0..<3 {
                let bytes = Array(repeating: UInt8(part), count: size)
                unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append($0) }
                expected += bytes
                if part == 0 { buffer.reserve(3 * size) }
            }
            #expect(unsafe Array(buffer.bytes) == expected)
            buffer.clear()
            #expect(unsafe buffer.bytes.isEmpty)
        }
    }

    /// Memory that a handler allocates for a body is counted for it until the request ends.
    @Test func `frees its memory before its room`() {
        let room = BodyRoom(bytes: 10_000)
        var buffer = BodyBuffer(room: room)
        unsafe [UInt8](repeating: 0, count: 26_384).withUnsafeBufferPointer { unsafe buffer.append($0) }
        #expect(!room.take(1))
        buffer.releaseMemory()
        #expect(unsafe buffer.bytes.isEmpty)
        #expect(!room.take(1))
        buffer.clear()
        #expect(room.take(10_000))
    }

    @Test func `large buffers share their room`() {
        let room = BodyRoom(bytes: 10_000)
        let kept = 16 * 1024
        var buffer = BodyBuffer(room: room)
        func append(_ size: Int, to buffer: inout BodyBuffer) {
            unsafe [UInt8](repeating: 0, count: size).withUnsafeBufferPointer { unsafe buffer.append($0) }
        }
        buffer.reserve(1 << 20)
        append(kept + 6000, to: &buffer)
        let lacking = [kept, kept + 4001, kept + 4000].map { size in
            var other = BodyBuffer(room: room)
            append(1, to: &other)
            append(size - 1, to: &other)
            return other.lacksRoom
        }
        #expect(lacking == [false, true, false])
        #expect(room.take(4000) && !room.take(1), "buffers that are gone have given their room back")
        buffer.clear()
        #expect(room.take(6000))
        #expect(!room.take(1))
    }
}
