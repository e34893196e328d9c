import Glibc
import HTTPServer

/// Counts the allocations of the calling thread with the preloaded library (`Benchmarks/Micro-support`).
@safe
struct AllocationCounter {
    private typealias Start = @convention(c) () -> Void
    private typealias Stop = @convention(c) (UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>) -> Void

    private let start: Start
    private let stop: Stop

    /// Finds the library's functions; nil when it is not preloaded.
    init?() {
        // A null handle is RTLD_DEFAULT, a macro that Swift's importer omits.
        guard let start = unsafe dlsym(nil, "deskgate_allocations_start"), let stop = unsafe dlsym(nil, "deskgate_allocations_stop")
        else { return nil }
        self.start = unsafe unsafeBitCast(start, to: Start.self)
        unsafe self.stop = unsafe unsafeBitCast(stop, to: Stop.self)
    }

    /// Counts the allocations of `body`: those of Swift code and those of C libraries.
    func count(_ body: () -> Void) -> (own: UInt64, libraries: UInt64) {
        var (own, libraries): (UInt64, UInt64) = (0, 0)
        start()
        body()
        unsafe stop(&own, &libraries)
        return (own, libraries)
    }
}

/// A request's body, restored before each use because a form is decoded in place.
struct ReusableBody {
    private let original: [UInt8]
    private var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        original = bytes
        self.bytes = bytes
    }

    /// Passes the bytes as received.
    mutating func withBytes<Result>(_ use: (inout MutableSpan<UInt8>) -> Result) -> Result {
        restore()
        var span = bytes.mutableSpan
        return use(&span)
    }

    /// Passes the bytes to a handler like the server.
    mutating func post(to endpoint: Endpoint, _ exchange: StoredExchange) {
        restore()
        unsafe bytes.withUnsafeMutableBufferPointer { body in
            endpoint.withHandler { handler in
                _ = unsafe handler(Request(method: .post, body: body, exchange: exchange), Responder(exchange))
            }
        }
    }

    private mutating func restore() {
        let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe $0.update(fromContentsOf: original) }
        precondition(count == original.count)
    }
}
