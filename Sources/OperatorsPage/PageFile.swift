internal import COperatorsPage

/// One file of the operators' page, from `Sources/COperatorsPage/page`.
package struct PageFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    package static let all: [PageFile] = (0..<shim_page_count()).map { index in
        let file = unsafe shim_page_file(index)
        return unsafe PageFile(name: String(cString: file.name), bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }

    /// The media type for the extension of its name.
    package var mediaType: String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
        return name.hasSuffix(".svg") ? "image/svg+xml" : "text/javascript; charset=utf-8"
    }
}
