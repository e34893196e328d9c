/// One thing that a scripted server does on a connection.
package enum ScriptedStep: Sendable {
    /// Reads a whole request, Content-Length or chunked, and records it. Ends the connection's script when the client leaves first.
    case readRequest
    /// Reads what comes next, at least a byte, and records it in `ScriptedServer.received`.
    case readSome
    /// Sends these bytes as they are.
    case send([UInt8])
    /// Sends these bytes as they are, waits until the client's system has them, and counts them in `ScriptedServer.waitForArrivals`.
    case sendAndAwaitArrival([UInt8])
    /// Sends these bytes in pieces of `size` with a pause before each but the first.
    case sendSlowly([UInt8], size: Int, pauseMilliseconds: UInt64)
    /// Sends these bytes again and again until the client leaves.
    case sendForever([UInt8])
    /// Does nothing until the client leaves or the server stops.
    case hang
    /// Does nothing until the test calls `ScriptedServer.release()`, which lets one of those that wait go on.
    case awaitRelease
    /// Tells the client that nothing more is sent, but goes on reading.
    case finishSending
    case close
    case reset

    package static func send(_ text: String) -> ScriptedStep {
        .send(Array(text.utf8))
    }

    /// Sends a whole response with a Content-Length.
    package static func respond(_ status: Int, headers: [String] = [], body: String = "") -> ScriptedStep {
        .send(response(status, headers: headers, body: body))
    }

    /// Sends the front of a response: the head with that Content-Length, and some of the body, or too much of it.
    package static func respondWrongly(_ status: Int, contentLength: Int, body: String) -> ScriptedStep {
        .send("HTTP/1.1 \(status) Scripted\r\nContent-Length: \(contentLength)\r\n\r\n\(body)")
    }

    /// The bytes of a whole response; `headers` are lines without their ends.
    package static func response(_ status: Int, headers: [String] = [], body: String = "") -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

/// A request as a scripted server received it.
package struct RecordedRequest: Sendable {
    package let method: String
    /// The target as it was sent: a path, or a whole URL at a proxy, or host and port with CONNECT.
    package let target: String
    /// Names as they were sent, with their values, in order.
    package let headers: [(name: String, value: String)]
    /// The body, without its chunks' framing.
    package let body: [UInt8]
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
