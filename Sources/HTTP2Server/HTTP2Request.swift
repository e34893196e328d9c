/// A request as it arrived, whole.
package struct HTTP2Request: Sendable {
    /// The method.
    package let method: String
    /// The path with its query, as it was sent.
    package let path: String
    /// The host and port that the client asked for.
    package let authority: String
    /// The headers beside the pseudo-headers, names in lower case, in their order. Bytes that are not UTF-8 are repaired.
    package let headers: [(name: String, value: String)]
    /// The body, up to the server's limit.
    package let body: [UInt8]
    /// Whether the body was longer than the limit and was cut off there.
    package let isTruncated: Bool
    /// The stream that carried it, for answering later.
    package let stream: HTTP2Stream

    /// The value of the first header of this name.
    /// - Parameter name: in lower case.
    package func header(_ name: String) -> String? {
        // nghttp2 lets nothing but ASCII into a name, so equal strings are equal bytes.
        headers.first { $0.name == name }?.value
    }

    /// How many headers have this name.
    /// - Parameter name: in lower case.
    package func count(of name: String) -> Int {
        headers.count { $0.name == name }
    }
}
