internal import Bytes
internal import HTTPServer

/// Which names the admin listener answers to while only this machine reaches it: addresses and `localhost`.
///
/// A browser on this machine can be led here by a name of somebody else's that resolves to 127.0.0.1 (DNS rebinding). It sends that name as
/// Host, and its page could read the answer.
enum HostRule {
    private static let misdirected = Response.error(
        421, "misdirected", "Ask this listener by its IP address or as localhost; other names may lead a browser here.")

    /// The same route, which refuses other names.
    static func guarding(_ route: Route) -> Route {
        Route(
            route.path, bodyLimit: route.bodyLimit,
            route.handlers.map { method, handler in
                (
                    method,
                    { request, responder in
                        isAddressed(request) ? handler(request, responder) : responder.respond(misdirected)
                    }
                )
            })
    }

    private static func isAddressed(_ request: borrowing Request) -> Bool {
        var isAddressed = true
        request.withHeader("Host") { value in
            // No browser leaves it out.
            if let value { isAddressed = isLocalName(value) }
        }
        return isAddressed
    }

    /// Whether a Host header is `localhost` or an IP address, with or without a port.
    static func isLocalName(_ host: Span<UInt8>) -> Bool {
        let name = host.extracting(..<endOfName(host))
        if name.equalsIgnoringCase("localhost") { return true }
        if name.isEmpty { return false }
        let isBracketed = name[0] == UInt8(ascii: "[")
        for index in name.indices where !isAddressByte(name[index], isBracketed: isBracketed) { return false }
        return true
    }

    /// Where a port begins, or the end.
    private static func endOfName(_ host: Span<UInt8>) -> Int {
        var end = host.count
        while end > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(host[end - 1]) { end -= 1 }
        return end > 0 && host[end - 1] == UInt8(ascii: ":") ? end - 1 : host.count
    }

    /// Whether a byte can stand in an address; no name of a host is made of digits and dots alone (RFC 1123 section 2.1).
    private static func isAddressByte(_ byte: UInt8, isBracketed: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            isBracketed
        default: false
        }
    }
}
