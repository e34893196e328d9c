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
        headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The values of all headers of this name.
    /// - Parameter name: in lower case.
    package func headers(_ name: String) -> [String] {
        headers.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }
}
