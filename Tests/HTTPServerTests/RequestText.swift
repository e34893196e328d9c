import TestSupport

/// A correct request.
func request(_ method: String, path: String, body: String = "", headers: String = "") -> String {
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    return "\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(length)\(headers)\r\n\(body)"
}

/// The status in the first line of a response; nil without a response.
func status(of bytes: [UInt8]) -> Int? {
    let words = String(decoding: bytes.prefix(16), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? Int(words[1]) : nil
}

func chunked(_ body: String) -> String {
    "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
}
