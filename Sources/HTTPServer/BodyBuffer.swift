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
        room.giveBack(Self.shared(count))
        unsafe storage.deallocate()
    }

    /// The bytes received so far; valid until the next call of anything here.
    var bytes: UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: storage.baseAddress, count: count)
    }

    /// Makes room for a body that is announced to have `count` bytes, so that it is moved at most once. Of what the others share nothing is taken:
    /// memory that nothing is written to costs nothing, and announcing is easy.
    mutating func reserve(_ count: Int) {
        guard unsafe count > storage.count else { return }
        let grown = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        _ = unsafe grown.update(fromContentsOf: bytes)
        unsafe storage.deallocate()
        unsafe storage = grown
    }

    /// Appends a part, which is not empty.
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        let needed = count + part.count
        guard takeRoom(for: needed) else { return }
        if unsafe needed > storage.count { unsafe reserve(max(needed, 2 * storage.count, 1024)) }
        _ = unsafe storage.extracting(count..<needed).update(fromContentsOf: part)
        count = needed
    }

    /// Forgets the bytes, and the memory of an unusually large body.
    mutating func clear() {
        room.giveBack(Self.shared(count))
        (count, lacksRoom) = (0, false)
        guard unsafe storage.count > Self.keptCapacity else { return }
        unsafe storage.deallocate()
        unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    /// How many of so many bytes count towards what is shared.
    private static func shared(_ size: Int) -> Int {
        max(0, size - keptCapacity)
    }

    private mutating func takeRoom(for size: Int) -> Bool {
        let more = Self.shared(size) - Self.shared(count)
        if more > 0, !lacksRoom { lacksRoom = !room.take(more) }
        return !lacksRoom
    }
}
