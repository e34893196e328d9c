internal import CPostgres
internal import Crypto

/// The options of one connection attempt in C's layout, in memory that is overwritten when it is released.
struct ParameterBlock {
    private let bytes: SecretBytes
    private let places: [(keyword: Int, value: Int)]

    /// Copies the options; the secrets end in a NUL.
    init(_ options: [String: String], secrets: [String: SecretBytes]) {
        var places: [(keyword: Int, value: Int)] = []
        let size = options.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 }
        let secretSize = secrets.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 1 }
        bytes = SecretBytes(count: size + secretSize) { block in
            var end = 0
            for (keyword, value) in options {
                places.append((end, end + keyword.utf8.count + 1))
                Self.append(keyword, to: &block, at: &end)
                Self.append(value, to: &block, at: &end)
            }
            for (keyword, value) in secrets {
                places.append((end, end + keyword.utf8.count + 1))
                Self.append(keyword, to: &block, at: &end)
                value.withSpan { secret in
                    for index in secret.indices { block[end + index] = secret[index] }
                }
                end += value.count
            }
        }
        self.places = places
    }

    private static func append(_ text: String, to block: inout MutableSpan<UInt8>, at end: inout Int) {
        for byte in text.utf8 {
            block[end] = byte
            end += 1
        }
        // The block was initialized with zeros.
        end += 1
    }

    /// Makes libpq begin to connect; nil when memory is exhausted.
    func startConnecting() -> OpaquePointer? {
        unsafe bytes.withSpan { block in
            unsafe block.withUnsafeBytes { bytes in
                let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
                var keywords = unsafe places.map { place in unsafe base.map { unsafe $0 + place.keyword } }
                var values = unsafe places.map { place in unsafe base.map { unsafe $0 + place.value } }
                unsafe keywords.append(nil)
                unsafe values.append(nil)
                return unsafe PQconnectStartParams(keywords, values, 0)
            }
        }
    }
}
