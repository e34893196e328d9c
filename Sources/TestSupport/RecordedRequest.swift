/// A request as a scripted server received it.
package struct RecordedRequest: Sendable {
    /// The method.
    package let method: String
    /// The target as it was sent: a path, or a whole URL at a proxy, or host and port with CONNECT.
    package let target: String
    /// Names as they were sent, with their values, in order.
    package let headers: [(name: String, value: String)]
    /// The body, without its chunks' framing.
    package let body: [UInt8]
    /// Which connection brought it, counted from 0.
    package let connection: Int

    /// The value of the first header of this name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as text; bytes that are not UTF-8 are repaired, which no test of exact bytes relies on.
    package var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
