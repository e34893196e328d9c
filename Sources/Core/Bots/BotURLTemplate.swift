internal import Bytes

/// A URL with placeholders in path segments and query values, such as `https://shop.example.com/orders/{order_id}?lang={language}`.
///
/// Filled-in values are percent-encoded except unreserved characters (RFC 3986 section 2.3), and no segment becomes empty, `.` or `..`. So
/// the scheme, the host, the port and the number of segments and query items are those of the template.
package struct BotURLTemplate: Sendable, Equatable {
    package enum Problem: Error, Equatable {
        /// Not `scheme://host…` in visible ASCII, or with a user, a password or a fragment.
        case malformed
        /// A placeholder is in the scheme, the host, the port or the name of a query item.
        case misplaced(String)
        case dotSegment
        case text(BotText.Problem)
    }

    /// The maximum size of a filled-in URL, in bytes.
    package static var longest: Int { 4096 }

    /// The scheme, `://`, the host and the port.
    package let origin: String
    private let segments: [[BotText.Piece]]
    private let query: [[BotText.Piece]]?

    package init(_ text: String) throws(Problem) {
        let pieces: [BotText.Piece]
        do throws(BotText.Problem) {
            pieces = try BotText(text).pieces
        } catch {
            throw .text(error)
        }
        var reader = BotURLReader()
        for piece in pieces { try reader.take(piece) }
        (origin, segments, query) = try reader.parts()
    }

    /// Names in order, repeated as in the template.
    package var placeholders: [String] {
        (segments + (query ?? [])).joined().compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The template with `x` for each placeholder, for rules that check whole URLs.
    package var sample: String {
        Self.joined(origin, segments: segments.map(Self.sample), query: query?.map(Self.sample))
    }

    /// Fills in all placeholders.
    /// - Parameter added: further query items.
    /// - Throws: a sentence about an argument that is invalid for its position.
    package func filled(
        _ value: (_ name: String) -> String, adding added: [(name: String, value: String)] = []
    ) throws(BotArgumentsProblem) -> String {
        var segments: [String] = []
        for segment in self.segments { segments.append(try Self.segment(segment, value)) }
        var items = query.map { $0.map { Self.text(of: $0) { Self.escaped(value($0)) } } }
        if !added.isEmpty { items = (items ?? []) + added.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" } }
        let url = Self.joined(origin, segments: segments, query: items)
        guard url.utf8.count <= Self.longest else { throw BotArgumentsProblem("the arguments are too long for a URL") }
        return url
    }

    /// Percent-encodes all bytes except unreserved characters.
    package static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes.append(percentEncoding: byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func segment(_ pieces: [BotText.Piece], _ value: (String) -> String) throws(BotArgumentsProblem) -> String {
        for case .placeholder(let name) in pieces where !BotPathValue.isSafe(value(name)) {
            throw BotArgumentsProblem("\(name) is empty, too long, or not allowed in a URL")
        }
        let text = text(of: pieces) { escaped(value($0)) }
        guard let name = pieces.lazy.compactMap({ if case .placeholder(let name) = $0 { name } else { nil } }).first else { return text }
        guard !BotPathValue.isDots(text) else { throw BotArgumentsProblem("\(name) is not allowed in a URL") }
        return text
    }

    private static func text(of pieces: [BotText.Piece], _ value: (String) -> String) -> String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let name): text += value(name)
            }
        }
    }

    private static func sample(_ pieces: [BotText.Piece]) -> String { text(of: pieces) { _ in "x" } }

    private static func joined(_ origin: String, segments: [String], query: [String]?) -> String {
        origin + segments.map { "/\($0)" }.joined() + (query.map { "?\($0.joined(separator: "&"))" } ?? "")
    }
}
