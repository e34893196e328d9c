/// A step of a scripted server on a connection.
package enum ScriptedStep: Sendable {
    /// Reads a complete request, with Content-Length or chunked, and records it. Ends the connection's script when the client disconnects
    /// first.
    case readRequest
    /// Reads at least one byte, and records the bytes in `ScriptedServer.received`.
    case readSome
    /// Sends these bytes.
    case send([UInt8])
    /// Sends these bytes, waits until the client's kernel has received them, and counts them in `ScriptedServer.waitForArrivals`.
    case sendAndAwaitArrival([UInt8])
    /// Sends these bytes in pieces of `size`, with a pause between them.
    case sendSlowly([UInt8], size: Int, pauseMilliseconds: UInt64)
    /// Sends these bytes repeatedly until the client disconnects.
    case sendForever([UInt8])
    /// Does nothing until the client disconnects or the server stops.
    case hang
    /// Does nothing until the test calls `ScriptedServer.release()`, which releases one waiting connection.
    case awaitRelease
    /// Shuts down the sending side, but continues to read.
    case finishSending
    case close
    case reset

    package static func send(_ text: String) -> ScriptedStep {
        .send(Array(text.utf8))
    }

    /// Sends a complete response with a Content-Length.
    package static func respond(_ status: Int, headers: [String] = [], body: String = "") -> ScriptedStep {
        .send(response(status, headers: headers, body: body))
    }

    /// Sends the header section of a response with that Content-Length, and a part of the body, or too much of it.
    package static func respondWrongly(_ status: Int, contentLength: Int, body: String) -> ScriptedStep {
        .send("HTTP/1.1 \(status) Scripted\r\nContent-Length: \(contentLength)\r\n\r\n\(body)")
    }

    /// The bytes of a complete response; `headers` are lines without their ends.
    package static func response(_ status: Int, headers: [String] = [], body: String = "") -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

/// A request received by a scripted server.
package struct RecordedRequest: Sendable {
    package let method: String
    /// The target as sent: a path, a whole URL at a proxy, or a host and port with CONNECT.
    package let target: String
    /// The names as sent, with their values, in order.
    package let headers: [(name: String, value: String)]
    /// The body without its chunk framing.
    package let body: [UInt8]
    package let connection: Int

    /// The value of the first header of this name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as text. Invalid UTF-8 is repaired, so tests of exact bytes use `body`.
    package var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
