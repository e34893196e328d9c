internal import CMicrohttpd
internal import Glibc

/// The body of one request. A connection reuses the buffer for all its requests, so small bodies allocate nothing.
///
/// A body over 16 KiB is in its own pages from the system, which are returned at once; an allocator might keep them.
@safe
struct BodyBuffer: ~Copyable {
    // The bytes that a connection keeps between requests.
    private static let keptCapacity = 16 * 1024

    private let room: BodyRoom
    private var storage = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var count = 0
    // The number of bytes that it has taken from `room`.
    private var taken = 0
    /// Whether there was no room for the body; then its further parts are dropped.
    private(set) var lacksRoom = false

    /// - Parameter room: the memory that large bodies share.
    init(room: BodyRoom) {
        self.room = room
    }

    deinit {
        room.giveBack(taken)
        unsafe Self.free(storage)
    }

    /// The bytes received so far; valid until the next call of any method.
    var bytes: UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: storage.baseAddress, count: count)
    }

    /// Allocates memory for a body with a declared length of `count` bytes, so that it is moved at most once. This takes nothing from
    /// `room`: memory that is never written costs nothing, and any client can declare a length.
    mutating func reserve(_ count: Int) {
        guard unsafe count > storage.count else { return }
        guard let grown = unsafe Self.allocate(count) else { return lacksRoom = true }
        _ = unsafe grown.update(fromContentsOf: bytes)
        unsafe Self.free(storage)
        unsafe storage = grown
    }

    /// Appends a part, which must not be empty.
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        let needed = count + part.count
        guard takeRoom(for: needed) else { return }
        if unsafe needed > storage.count { unsafe reserve(max(needed, 2 * storage.count, 1024)) }
        guard !lacksRoom else { return }
        _ = unsafe storage.extracting(count..<needed).update(fromContentsOf: part)
        count = needed
    }

    /// Frees the memory of a large body after its last reader. Its share of `room` stays taken until `clear`, because the handler may hold
    /// data decoded from it.
    mutating func releaseMemory() {
        count = 0
        guard unsafe storage.count > Self.keptCapacity else { return }
        unsafe Self.free(storage)
        unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    /// Prepares for the next request, and returns the body's share of `room`.
    mutating func clear() {
        releaseMemory()
        room.giveBack(taken)
        (taken, lacksRoom) = (0, false)
    }

    private mutating func takeRoom(for size: Int) -> Bool {
        let more = max(0, size - Self.keptCapacity) - taken
        if more > 0, !lacksRoom {
            lacksRoom = !room.take(more)
            if !lacksRoom { taken += more }
        }
        return !lacksRoom
    }

    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8>? {
        guard count > keptCapacity else { return UnsafeMutableBufferPointer.allocate(capacity: count) }
        let pages = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { return nil }
        return unsafe UnsafeMutableBufferPointer(start: pages.assumingMemoryBound(to: UInt8.self), count: count)
    }

    private static func free(_ storage: UnsafeMutableBufferPointer<UInt8>) {
        if storage.count > keptCapacity { unsafe munmap(storage.baseAddress, storage.count) } else { unsafe storage.deallocate() }
    }
}
