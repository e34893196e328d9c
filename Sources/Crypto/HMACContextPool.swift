internal import COpenSSL
internal import Glibc
internal import Synchronization

/// Several contexts keyed with one secret, so that threads can compute concurrently without duplicating a context for each message.
/// Resetting a keyed context takes about half the time of duplicating it, and does not allocate.
// Sendable, because the buffer is written only in `init` and `deinit`, and each context in it is used only by the thread that has taken it.
@safe final class HMACContextPool: @unchecked Sendable {
    /// A slot with one context, padded to a cache line to avoid false sharing.
    @safe private struct Slot: ~Copyable {
        let isTaken = Atomic<Bool>(false)
        let context: OpaquePointer
        let padding = InlineArray<6, UInt64>(repeating: 0)
    }

    private static let count = 4
    private let slots: UnsafeMutablePointer<Slot>

    init(secret: Span<UInt8>, digest: String) throws(CryptoError) {
        let keyed = unsafe try Self.makeContext(secret: secret, digest: digest)
        unsafe slots = .allocate(capacity: Self.count)
        unsafe slots.initialize(to: Slot(context: keyed))
        for index in 1..<Self.count {
            guard let copy = unsafe EVP_MAC_CTX_dup(keyed) else { fatalError("out of memory while preparing a secret") }
            unsafe (slots + index).initialize(to: Slot(context: copy))
        }
    }

    deinit {
        for index in 0..<Self.count { unsafe EVP_MAC_CTX_free(slots[index].context) }
        unsafe slots.deinitialize(count: Self.count)
        unsafe slots.deallocate()
    }

    /// Computes the HMAC of the message that `build` appends. `code` must have the length of the hash.
    func compute(
        into code: inout MutableSpan<UInt8>, _ build: (inout HMACMessage) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        let first = Self.firstSlotOfThread
        for offset in 0..<Self.count {
            let index = (first + offset) % Self.count
            guard unsafe !slots[index].isTaken.exchange(true, ordering: .acquiring) else { continue }
            defer { unsafe slots[index].isTaken.store(false, ordering: .releasing) }
            return try unsafe Self.compute(with: slots[index].context, into: &code, build)
        }
        guard let copy = unsafe EVP_MAC_CTX_dup(slots[0].context) else { throw CryptoError(draining: .beginHMAC) }
        defer { unsafe EVP_MAC_CTX_free(copy) }
        try unsafe Self.compute(with: copy, into: &code, build)
    }

    /// Resets the context first, so that it contains no part of an earlier message, finished or not.
    private static func compute(
        with context: OpaquePointer, into code: inout MutableSpan<UInt8>, _ build: (inout HMACMessage) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        ErrorQueue.clear()
        guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1 else { throw CryptoError(draining: .beginHMAC) }
        var message = unsafe HMACMessage(of: context)
        try build(&message)
        try message.flush()
        let expected = code.count
        var written = 0
        let status = unsafe code.withUnsafeMutableBufferPointer { unsafe EVP_MAC_final(context, $0.baseAddress, &written, $0.count) }
        guard status == 1, written == expected else { throw CryptoError(draining: .finishHMAC) }
    }

    /// The slot that this thread tries first: a multiplicative hash (Knuth) of the address of its thread descriptor.
    private static var firstSlotOfThread: Int {
        Int((UInt64(pthread_self()) >> 12 &* 0x9E37_79B9_7F4A_7C15) >> 62)
    }

    private static func makeContext(secret: Span<UInt8>, digest: String) throws(CryptoError) -> OpaquePointer {
        let algorithm = try HMACAlgorithm.fetched.get()
        ErrorQueue.clear()
        guard let context = unsafe EVP_MAC_CTX_new(algorithm.pointer) else { throw CryptoError(draining: .keyHMAC) }
        let status = unsafe secret.withUnsafeBufferPointer { key -> Int32 in
            guard let start = key.baseAddress else { return 0 }
            return unsafe deskgate_hmac_init(context, digest, start, key.count)
        }
        guard status == 1 else {
            let error = CryptoError(draining: .keyHMAC)
            unsafe EVP_MAC_CTX_free(context)
            throw error
        }
        return unsafe context
    }
}
