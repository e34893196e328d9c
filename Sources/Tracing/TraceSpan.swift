package import Core

/// An ended span in the form that is exported.
package struct TraceSpan: Sendable, Equatable {
    package enum Kind: Int64, Sendable {
        /// A request that we answer.
        case server = 2
        /// A request that we send.
        case client = 3
    }

    package let context: TraceContext
    /// The span that it belongs below; 0 for none.
    package let parentID: UInt64
    /// One of few names, so that spans can be grouped.
    package let name: String
    package let kind: Kind
    /// When it began and ended, in nanoseconds since 1970.
    package let start, end: UInt64
    /// Names follow OpenTelemetry's semantic conventions where they exist.
    package let attributes: [TraceAttribute]
    package let hasFailed: Bool
}

/// One thing that is known of a span or of the process. Never a secret, an identity of a person, or a whole address.
package struct TraceAttribute: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
    }

    package let name: String
    package let value: Value

    package static func text(_ name: String, _ value: String) -> TraceAttribute { TraceAttribute(name: name, value: .text(value)) }

    package static func integer(_ name: String, _ value: Int) -> TraceAttribute {
        TraceAttribute(name: name, value: .integer(Int64(value)))
    }
}

extension [TraceAttribute] {
    /// The words that every request is described with, received or sent.
    /// - Parameter status: the answer's; nil when there was none.
    package static func request(method: String, status: Int?) -> [TraceAttribute] {
        [.text("http.request.method", method)] + (status.map { [.integer("http.response.status_code", $0)] } ?? [])
    }

    /// The words for the server that a request was sent to.
    package static func server(_ address: ServerAddress?) -> [TraceAttribute] {
        address.map { [.text("server.address", $0.host), .integer("server.port", $0.port)] } ?? []
    }

    /// The word for why something has failed; nothing when it has not.
    package static func failure(_ reason: String?) -> [TraceAttribute] { reason.map { [.text("error.type", $0)] } ?? [] }
}

/// A span that has begun; its children refer to it by its context.
package struct OpenSpan: Sendable {
    package let context: TraceContext
    /// The span that it belongs below; 0 for none.
    let parentID: UInt64
    /// The start in nanoseconds since 1970, and by the monotonic clock; both 0 when it is not exported.
    let start, startMonotonic: UInt64
    let isExported: Bool

    /// Whether its trace is known elsewhere: to the caller who has begun it, or to the collector.
    package var isKnown: Bool { parentID != 0 || isExported }
}
