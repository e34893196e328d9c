internal import COpenSSL

/// A failed cryptographic operation. Contains reasons and codes, never keys or messages.
package struct CryptoError: Error, Equatable {
    /// The operation. The raw values follow the words "could not".
    package enum Operation: String, Sendable {
        case fetchHMAC = "load HMAC"
        case keyHMAC = "key an HMAC"
        case beginHMAC = "begin an HMAC"
        case updateHMAC = "extend an HMAC"
        case finishHMAC = "finish an HMAC"
        case random = "generate random bytes"
        case digest = "hash with SHA-256"
        case prepareTLS = "prepare TLS"
        case makeCertificate = "make a certificate"
        case makeKey = "make a key"
        case sign = "sign a message"
    }

    package let operation: Operation

    /// OpenSSL's reports, oldest first; may be empty.
    package let reasons: [String]
}

extension CryptoError: CustomStringConvertible {
    package var description: String {
        "could not \(operation.rawValue): " + (reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; "))
    }
}

/// OpenSSL's error queue of the calling thread, ERR_get_error(3).
enum ErrorQueue {
    /// Empties the queue, so that a later failure does not include errors that other code has left on this thread. The check for an empty
    /// queue, which is the usual case, is 7 times cheaper than ERR_clear_error(3).
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Removes all entries and returns them as texts: library, reason and code, ERR_error_string_n(3). Omits the data that OpenSSL may
    /// attach to an entry, because the data may contain input.
    static func drain() -> [String] {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            reasons.append(text(of: code))
        }
        return reasons
    }

    private static func text(of code: UInt) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            unsafe ERR_error_string_n(code, start, buffer.count)
            return unsafe String(cString: start)
        }
    }
}

extension CryptoError {
    /// Creates the error of an operation that has just failed on this thread. Empties the thread's error queue.
    init(draining operation: Operation) {
        self.init(operation: operation, reasons: ErrorQueue.drain())
    }
}
