internal import Bytes

/// The path of a route: fixed parts, with at most two parameters between them, each of which fills a segment; the last one may fill the
/// rest.
struct PathPattern: Sendable {
    static var maximumParameters: Int { 2 }

    let parameterCount: Int
    /// Whether the last parameter may contain slashes.
    private let takesRest: Bool
    private let path: StaticString
    // The fixed parts before each parameter, and after the last one. Stored as ranges of the path, so that matching changes no reference
    // count.
    private let fixed: InlineArray<3, Range<Int>>

    /// Reads a path with its parameters written `:name`, or `*` at its end; traps on more than two.
    init(_ path: StaticString) {
        self.path = path
        takesRest = "\(path)".hasSuffix("/*")
        var fixed = InlineArray<3, Range<Int>>(repeating: 0..<0)
        parameterCount = path.withUTF8Buffer { bytes in
            var (count, start, index) = (0, 0, 1)
            while index < bytes.count {
                guard unsafe Self.beginsParameter(bytes, at: index) else {
                    index += 1
                    continue
                }
                precondition(count < Self.maximumParameters, "a path has at most two parameters")
                fixed[count] = start..<index
                count += 1
                while unsafe index < bytes.count && bytes[index] != UInt8(ascii: "/") { index += 1 }
                start = index
            }
            fixed[count] = start..<bytes.count
            return count
        }
        self.fixed = fixed
    }

    /// Returns the ranges of the parameters in a matching path; those that the pattern does not have are empty. Returns nil for another
    /// path.
    func ranges(in requested: Span<UInt8>) -> InlineArray<2, Range<Int>>? {
        var ranges = InlineArray<2, Range<Int>>(repeating: 0..<0)
        var position = 0
        for index in 0..<parameterCount {
            guard passes(fixed[index], in: requested, at: position) else { return nil }
            position += fixed[index].count
            let start = position
            let hasSlashes = takesRest && index == parameterCount - 1
            while position < requested.count, hasSlashes || requested[position] != UInt8(ascii: "/") { position += 1 }
            guard position > start else { return nil }
            ranges[index] = start..<position
        }
        let last = fixed[parameterCount]
        return requested.count - position == last.count && passes(last, in: requested, at: position) ? ranges : nil
    }

    private static func beginsParameter(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard unsafe bytes[index - 1] == UInt8(ascii: "/") else { return false }
        return unsafe bytes[index] == UInt8(ascii: ":") || bytes[index] == UInt8(ascii: "*") && index == bytes.count - 1
    }

    /// Whether a fixed part is at a position of a path.
    private func passes(_ part: Range<Int>, in requested: Span<UInt8>, at position: Int) -> Bool {
        guard position + part.count <= requested.count else { return false }
        for index in 0..<part.count {
            guard unsafe requested[position + index] == path.utf8Start[part.lowerBound + index] else { return false }
        }
        return true
    }
}

/// The bytes of a request's path at the parameters of its route, as sent. Valid as long as the path.
@safe
package struct PathParameters {
    package static var none: PathParameters { PathParameters() }

    @usableFromInline let values: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>)

    private init() {
        unsafe values = (UnsafeBufferPointer(start: nil, count: 0), UnsafeBufferPointer(start: nil, count: 0))
    }

    /// Finds them in a path that the pattern's route has matched.
    init(of path: UnsafeBufferPointer<UInt8>, _ pattern: PathPattern) {
        guard let ranges = unsafe pattern.ranges(in: path.span) else { preconditionFailure("the route has matched this path") }
        unsafe values = (path.extracting(ranges[0]), path.extracting(ranges[1]))
    }
}
