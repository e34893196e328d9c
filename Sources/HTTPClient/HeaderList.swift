internal import CCurl

/// A request's headers in libcurl's form, which must live as long as the transfer.
@safe
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ request: ClientRequest) {
        // Nobody is asked whether the body is welcome: that costs a round trip, and a second where it is not answered.
        append("Expect:")
        if !request.headers.contains(where: { HeaderRules.equalsIgnoringCase($0.name.utf8, "content-type".utf8) }) {
            // Without this line libcurl would call every body a form.
            append("Content-Type:")
        }
        for header in request.headers { append(Self.line(header.name, header.value)) }
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }

    // CURLOPT_HTTPHEADER(3): a colon without a value removes a header, a semicolon sends it empty.
    private static func line(_ name: String, _ value: String) -> String {
        value.utf8.allSatisfy { $0 <= 0x20 } ? "\(name);" : "\(name): \(value)"
    }

    private func append(_ line: String) {
        guard let list = unsafe curl_slist_append(first, line) else { fatalError("out of memory while making a request") }
        unsafe first = list
    }
}
