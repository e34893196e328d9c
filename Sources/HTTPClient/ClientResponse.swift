/// A response as it arrived. Redirects are responses like any other.
package struct ClientResponse: Sendable {
    /// Which version of HTTP carried it.
    package enum HTTPVersion: Sendable, Equatable {
        case http1, http2
    }

    /// The status code of the final response, 200 to 999.
    package let status: Int
    /// The body, up to the request's limit.
    package let body: [UInt8]
    /// Whether the body was longer than the limit and was cut off there.
    package let isTruncated: Bool
    /// Which version of HTTP carried it.
    package let httpVersion: HTTPVersion
    /// When the connection stood, from the transfer's start, in microseconds; next to nothing on a kept connection.
    package let connectMicroseconds: Int
    /// How long the transfer took, in microseconds, without the time that it waited for its turn.
    package let totalMicroseconds: Int
    private let head: ResponseHead

    init(
        status: Int, head: ResponseHead, body: [UInt8], isTruncated: Bool, httpVersion: HTTPVersion, connectMicroseconds: Int,
        totalMicroseconds: Int
    ) {
        self.status = status
        self.head = head
        self.body = body
        self.isTruncated = isTruncated
        self.httpVersion = httpVersion
        self.connectMicroseconds = connectMicroseconds
        self.totalMicroseconds = totalMicroseconds
    }

    /// The value of the first header of this name, in any case, without the white space around it; nil when there is none.
    ///
    /// Bytes that are not UTF-8 are repaired, so compare it as the foreign text that it is.
    package func header(_ name: String) -> String? {
        head.value(of: name)
    }
}
