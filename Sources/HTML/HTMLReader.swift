internal import CLibXML2

package enum HTMLEvent: Equatable, Sendable {
    /// A wanted element begins. Names are in lower case; values have their character references replaced; an attribute without a value has
    /// "".
    case start(String, attributes: [(name: String, value: String)])
    /// Text within a wanted element, with character references replaced; one text may arrive in several parts.
    case text(String)
    case end(String)

    package static func == (left: HTMLEvent, right: HTMLEvent) -> Bool {
        switch (left, right) {
        case (.start(let name, let attributes), .start(let other, let others)):
            name == other && attributes.elementsEqual(others) { $0 == $1 }
        case (.text(let text), .text(let other)): text == other
        case (.end(let name), .end(let other)): name == other
        default: false
        }
    }
}

/// The limits of reading a page. At a limit, reading ends, and the part read so far is used.
///
/// They also limit the time: libxml2 compares each attribute with the previous ones of its element, and each end tag with all open
/// elements.
package struct HTMLLimits: Sendable {
    package var depth = 256
    package var elements = 50_000
    /// The maximum number of bytes in one tag or comment.
    package var token = 64 * 1024
    /// The maximum number of comparisons of attributes, for all elements together.
    package var comparisons = 10_000_000

    package init() {}
}

/// Parses pages with libxml2's HTML parser, which accepts the same input as a browser, and fetches nothing.
package enum HTMLReader {
    // Loaded at the first use, and never changed; nil when it is not installed.
    private static let library: shim_HTMLLibrary? = {
        var library = shim_HTMLLibrary()
        return unsafe shim_html_load(&library) ? library : nil
    }()

    /// Whether libxml2 is installed; without it, no page can be parsed.
    package static var isAvailable: Bool { library != nil }

    /// - Parameters:
    ///   - page: valid UTF-8; a NUL is replaced by a question mark, because libxml2 would treat it as the end.
    ///   - wanted: the elements to report, in lower case.
    ///   - receive: returns false to end reading. Never called when `isAvailable` is false.
    package static func read(
        _ page: [UInt8], wanting wanted: Set<String>, limits: HTMLLimits = HTMLLimits(), _ receive: (HTMLEvent) -> Bool
    ) {
        guard var library else { return }
        withoutActuallyEscaping(receive) { receive in
            let reading = HTMLReading(page, wanted: wanted, limits: limits, receive: receive)
            let context = unsafe Unmanaged.passUnretained(reading).toOpaque()
            withExtendedLifetime(reading) {
                _ = unsafe shim_html_parse(&library, context, readPage, startElement, endElement, readText, readScript)
            }
        }
    }
}

private final class HTMLReading {
    private let page: [UInt8]
    private let wanted: Set<String>
    private let limits: HTMLLimits
    private let receive: (HTMLEvent) -> Bool
    private var position = 0
    // The position of the last event.
    private var lastEvent = 0
    private var depth = 0
    private var elements = 0
    private var comparisons = 0
    private var openWanted = 0
    private var isEnded = false

    init(_ page: [UInt8], wanted: Set<String>, limits: HTMLLimits, receive: @escaping (HTMLEvent) -> Bool) {
        self.page = page
        self.wanted = wanted
        self.limits = limits
        self.receive = receive
    }

    /// Copies the next bytes for the parser; returns 0 at the end of the page or at a limit.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard !isEnded, position - lastEvent < limits.token else { return 0 }
        let part = page[position...].prefix(bytes.count)
        unsafe bytes.copyBytes(from: part)
        for index in 0..<part.count where unsafe bytes[index] == 0 { unsafe bytes[index] = UInt8(ascii: "?") }
        position += part.count
        return part.count
    }

    /// - Parameter attributes: alternating names and values, as libxml2 passes them.
    func start(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?) {
        lastEvent = position
        depth += 1
        elements += 1
        var list: [(name: String, value: String)] = []
        var count = 0
        while let attributes = unsafe attributes, let key = unsafe attributes[count] {
            if wanted.contains(name) {
                let value = unsafe attributes[count + 1]
                list.append((unsafe String(cString: key), unsafe value.map { unsafe String(cString: $0) } ?? ""))
            }
            count += 2
        }
        comparisons += count * count / 8
        if depth > limits.depth || elements > limits.elements || comparisons > limits.comparisons { isEnded = true }
        guard wanted.contains(name) else { return }
        openWanted += 1
        send(.start(name, attributes: list))
    }

    func end(_ name: String) {
        lastEvent = position
        depth -= 1
        guard wanted.contains(name) else { return }
        openWanted -= 1
        send(.end(name))
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        lastEvent = position
        if openWanted > 0 { unsafe send(.text(String(decoding: text, as: UTF8.self))) }
    }

    private func send(_ event: HTMLEvent) {
        guard !isEnded else { return }
        isEnded = !receive(event)
    }
}

// The functions that libxml2 calls. Each recovers the Swift object, converts the arguments, and delegates.

private func readPage(context: UnsafeMutableRawPointer?, bytes: UnsafeMutablePointer<CChar>, count: Int32) -> Int32 {
    unsafe withReading(context) { unsafe Int32($0.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))) }
}

private func startElement(
    context: UnsafeMutableRawPointer?, name: UnsafePointer<UInt8>, attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
) {
    unsafe withReading(context) { unsafe $0.start(String(cString: name), attributes) }
}

private func endElement(context: UnsafeMutableRawPointer?, name: UnsafePointer<UInt8>) {
    unsafe withReading(context) { unsafe $0.end(String(cString: name)) }
}

private func readText(context: UnsafeMutableRawPointer?, text: UnsafePointer<UInt8>, count: Int32) {
    unsafe withReading(context) { unsafe $0.text(UnsafeBufferPointer(start: text, count: Int(count))) }
}

/// Receives the content of script and style, which is not text of the page.
private func readScript(context: UnsafeMutableRawPointer?, text: UnsafePointer<UInt8>, count: Int32) {
    unsafe withReading(context) { unsafe $0.text(UnsafeBufferPointer(start: text, count: 0)) }
}

private func withReading<Result>(_ context: UnsafeMutableRawPointer?, _ body: (HTMLReading) -> Result) -> Result {
    guard let context = unsafe context else { fatalError("the parser must pass on its context") }
    return unsafe Unmanaged<HTMLReading>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0) }
}
