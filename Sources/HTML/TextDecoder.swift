internal import CLibXML2
internal import Glibc

package enum TextDecoder {
    /// The number of bytes that are searched for a `meta` element with the encoding (HTML standard, "prescan a byte stream").
    private static let prescanned = 1024
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    /// The maximum number of invalid bytes that are replaced. Each replacement costs a call of iconv(3), and a page that compresses to a
    /// kilobyte may contain a million invalid bytes.
    static let maximumReplaced = 4096

    /// Returns the page in valid UTF-8, without a byte order mark; invalid bytes are replaced by U+FFFD. A page in another encoding is
    /// truncated after `maximumReplaced` invalid bytes, because it does not have the declared encoding.
    ///
    /// The encoding is determined as in browsers (HTML standard, "determining the character encoding"), by the first of these that is
    /// present: a byte order mark, `contentType`, a `meta` element near the beginning of the page, an XML declaration, or a later `meta`
    /// element. Otherwise the encoding is UTF-8 if the bytes are valid UTF-8, and windows-1252 if not.
    /// - Parameter contentType: the value of the header `Content-Type`; nil when there is none.
    package static func utf8(_ page: [UInt8], contentType: String?) -> [UInt8] {
        if let (charset, length) = byteOrderMark(page) { return convert(page[length...], from: charset) }
        if let declared = contentType.flatMap({ charset(in: Array($0.utf8)) }) { return convert(page[...], from: declared) }
        if let declared = metaCharset(page) ?? xmlCharset(page) ?? lateMetaCharset(page) {
            // A declaration of UTF-16 that is readable as ASCII must be wrong, so it is interpreted as UTF-8.
            return convert(page[...], from: [.utf16LE, .utf16BE].contains(declared) ? .utf8 : declared)
        }
        return String(validating: page, as: UTF8.self) == nil ? convert(page[...], from: .windows1252) : page
    }

    private static func byteOrderMark(_ page: [UInt8]) -> (Charset, length: Int)? {
        if page.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if page.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        return page.starts(with: [0xFF, 0xFE]) ? (.utf16LE, 2) : nil
    }

    private static func metaCharset(_ page: [UInt8]) -> Charset? {
        let start = page.prefix(prescanned).map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        var rest = start[...]
        while let position = find("<meta", in: rest) {
            rest = rest[position...].dropFirst(5)
            let element = rest.prefix { $0 != UInt8(ascii: ">") }
            if let charset = charset(in: Array(element)) { return charset }
        }
        return nil
    }

    private static func xmlCharset(_ page: [UInt8]) -> Charset? {
        guard page.starts(with: "<?xml".utf8) else { return nil }
        return charset(in: page.prefix(prescanned).prefix { $0 != UInt8(ascii: ">") }, named: "encoding")
    }

    /// Returns the encoding from a `meta` element anywhere in the page. The page is parsed, because scripts and comments may contain the
    /// same text.
    private static func lateMetaCharset(_ page: [UInt8]) -> Charset? {
        var found: Charset?
        var openTexts = 0
        // Labels and element names are ASCII, so other bytes are irrelevant. They are replaced by an asterisk, which is not markup.
        let ascii = page.map { $0 < 0x80 ? $0 : UInt8(ascii: "*") }
        HTMLReader.read(ascii, wanting: ["meta", "textarea", "title", "xmp"]) { event in
            switch event {
            case .start("meta", _): break
            case .start: openTexts += 1
            case .end("meta"), .text: break
            case .end: openTexts -= 1
            }
            // Ignores elements inside text: libxml2 parses elements where a browser reads text.
            guard openTexts == 0, case .start("meta", let attributes) = event else { return true }
            let value = { (name: String) in attributes.first { $0.name == name }?.value.lowercased() }
            if let label = value("charset") {
                found = Charset(label: String(label.filter { !$0.isWhitespace }))
            } else if value("http-equiv") == "content-type" {
                found = value("content").flatMap { charset(in: Array($0.utf8)) }
            }
            return found == nil
        }
        return found
    }

    /// Returns the encoding after `charset=` or another name, quoted or not; nil when it is missing or unknown.
    private static func charset(in text: some Sequence<UInt8>, named name: String = "charset") -> Charset? {
        let lower = text.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        guard let position = find(name, in: lower[...]) else { return nil }
        var rest = lower[position...].dropFirst(name.utf8.count).drop { $0 <= 0x20 }
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst().drop { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        let label = rest.prefix { $0 > 0x20 && !"\"';,/>".utf8.contains($0) }
        return Charset(label: String(decoding: label, as: UTF8.self))
    }

    private static func find(_ word: String, in text: ArraySlice<UInt8>) -> Int? {
        let word = Array(word.utf8)
        return text.indices.first { text[$0...].starts(with: word) }
    }

    private static func convert(_ text: ArraySlice<UInt8>, from charset: Charset) -> [UInt8] {
        guard charset != .utf8, let converter = Converter(from: charset.name) else {
            return Array(String(decoding: text, as: UTF8.self).utf8)
        }
        var rest = Array(text)[...]
        var converted: [UInt8] = []
        converted.reserveCapacity(text.count * 2)
        var replaced = 0
        while true {
            rest = converter.convert(rest, appendingTo: &converted)
            guard !rest.isEmpty, replaced < maximumReplaced else { return converted }
            converted += replacement
            rest = rest.dropFirst()
            replaced += 1
        }
    }
}

/// A conversion by the C library (iconv(3)).
@safe
private final class Converter {
    private let raw: iconv_t
    /// The output buffer of iconv(3). One buffer is used for the whole page, because clearing it costs more than converting a few bytes.
    private var room = [UInt8](repeating: 0, count: 16 * 1024)

    /// Returns nil when the system does not support the encoding.
    init?(from charset: String) {
        guard let raw = unsafe iconv_open("UTF-8", charset), Int(bitPattern: raw) != -1 else { return nil }
        unsafe self.raw = raw
    }

    deinit {
        unsafe iconv_close(raw)
    }

    /// Converts the valid beginning of the text.
    /// - Returns: the rest, which begins with an invalid byte; empty when everything was converted.
    func convert(_ text: ArraySlice<UInt8>, appendingTo converted: inout [UInt8]) -> ArraySlice<UInt8> {
        var left = text
        while !left.isEmpty {
            let (read, written, isInvalid) = unsafe left.withUnsafeBytes { source in
                unsafe room.withUnsafeMutableBytes { target in unsafe step(source, target) }
            }
            converted += room.prefix(written)
            left = left.dropFirst(read)
            if isInvalid { break }
        }
        return left
    }

    private func step(_ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> (
        read: Int, written: Int, isInvalid: Bool
    ) {
        var input = unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var output = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
        var (sourceLeft, targetLeft) = (source.count, target.count)
        let result = unsafe iconv(raw, &input, &sourceLeft, &output, &targetLeft)
        let isInvalid = result == Int(bitPattern: UInt.max) && errno != E2BIG
        return (source.count - sourceLeft, target.count - targetLeft, isInvalid)
    }
}
