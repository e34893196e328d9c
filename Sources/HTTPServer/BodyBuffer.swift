/// The bytes of one request's body, kept and reused from request to request of one connection, so that none allocates.
@safe
struct BodyBuffer: ~Copyable {
    // What a connection keeps between requests, in bytes; a larger body's memory goes back when it has been answered.
    private static let keptCapacity = 16 * 1024

    private let room: BodyRoom
    private var storage = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var count = 0
    /// Whether there was no room for the body, of which nothing more is kept then.
    private(set) var lacksRoom = false

    /// - Parameter room: what large bodies share.
    init(room: BodyRoom) {
        self.room = room
    }

    deinit {
        unsafe room.giveBack(Self.shared(storage.count))
        unsafe storage.deallocate()
    }

    /// The bytes received so far; valid until the next call of anything here.
    var bytes: UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: storage.baseAddress, count: count)
    }

    /// Makes room for a body that is announced to have `count` bytes, so that it is moved at most once.
    mutating func reserve(_ count: Int) {
        guard unsafe count > storage.count, takeRoom(for: count) else { return }
        let grown = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        _ = unsafe grown.update(fromContentsOf: bytes)
        unsafe storage.deallocate()
        unsafe storage = grown
    }

    /// Appends a part, which is not empty.
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        let needed = count + part.count
        if unsafe needed > storage.count { unsafe reserve(max(needed, 2 * storage.count, 1024)) }
        guard !lacksRoom else { return }
        _ = unsafe storage.extracting(count..<needed).update(fromContentsOf: part)
        count = needed
    }

    /// Forgets the bytes, and the memory of an unusually large body.
    mutating func clear() {
        (count, lacksRoom) = (0, false)
        guard unsafe storage.count > Self.keptCapacity else { return }
        unsafe room.giveBack(Self.shared(storage.count))
        unsafe storage.deallocate()
        unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    /// How much of a capacity counts towards what is shared.
    private static func shared(_ capacity: Int) -> Int {
        max(0, capacity - keptCapacity)
    }

    private mutating func takeRoom(for capacity: Int) -> Bool {
        let more = unsafe Self.shared(capacity) - Self.shared(storage.count)
        if more > 0, !lacksRoom { lacksRoom = !room.take(more) }
        return !lacksRoom
    }
}
