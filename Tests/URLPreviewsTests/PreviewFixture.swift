import Bytes
import HTTPClient
import POSIX
import TestSupport
import Testing
import Threading

@testable import URLPreviews

/// A previewer with a test's name server, a web server at 127.0.0.1, which is treated as public here, and another one at the same port of
/// 127.0.0.2, which must never be reached, like every other inner address.
struct PreviewFixture {
    static let publicPlace = "127.0.0.1"
    static let innerPlace = "127.0.0.2"

    static let person = ShareOwner("shop", "user-1")

    let server: ScriptedServer
    let inner: ScriptedServer
    let names: DNSServer
    let previewer: URLPreviewer

    /// Runs a test, and stops all servers at its end.
    /// - Parameters:
    ///   - script: the web server's script, for its port.
    ///   - names: the name server's script; by default every name resolves to the web server.
    static func run(
        _ script: (_ port: UInt16) -> ScriptedServer.Script = { _ in page() },
        names: @escaping DNSServer.Script = { _, _, _ in .addresses(publicPlace) },
        rules change: (inout PreviewRules) -> Void = { _ in }, limits: PreviewCache<URLPreviewer.Waiter>.Limits = .init(),
        certificateAuthorities: String? = nil, _ body: (PreviewFixture) throws -> Void
    ) throws {
        let (server, inner) = try servers(script)
        defer {
            server.stop()
            inner.stop()
        }
        let names = DNSServer(names)
        defer { names.stop() }
        var rules = PreviewRules()
        rules.ports.insert(server.port)
        rules.admits = { $0 == IPAddress(publicPlace) || SpecialAddress($0) == nil }
        // Only a failing test reaches it.
        rules.milliseconds = WaitLimit.milliseconds
        rules.connectMilliseconds = WaitLimit.milliseconds
        change(&rules)
        let resolver = NameResolver(server: NameResolver.Server(address: 0x7F00_0001, port: names.port))
        let previewer = URLPreviewer(
            rules: rules, resolver: resolver, certificateAuthorities: certificateAuthorities, limits: limits)
        defer { previewer.close() }
        try body(PreviewFixture(server: server, inner: inner, names: names, previewer: previewer))
    }

    private static func servers(_ script: (UInt16) -> ScriptedServer.Script) throws -> (ScriptedServer, inner: ScriptedServer) {
        while true {
            let inner = try ScriptedServer(page(title: "Inner"), at: 0x7F00_0002)
            // The same port may be in use at the other address.
            if let server = try? ScriptedServer(script(inner.port), port: inner.port) { return (server, inner) }
            inner.stop()
        }
    }

    static func page(title: String = "Title") -> ScriptedServer.Script { .everyRequest(html(html(title: title))) }

    static func html(title: String = "Title") -> String {
        "<html><head><title>\(title)</title><meta property=\"og:image\" content=\"/image.png\"></head></html>"
    }

    /// A response with a page.
    static func html(_ text: String, contentType: String = "text/html; charset=utf-8") -> ScriptedStep {
        .respond(200, headers: ["Content-Type: \(contentType)"], body: text)
    }

    /// A redirect.
    static func redirect(_ location: String, status: Int = 302) -> ScriptedStep { .respond(status, headers: ["Location: \(location)"]) }

    func url(_ host: String = "page.test", _ path: String = "/") -> String { "http://\(host):\(server.port)\(path)" }

    /// The outcome for a valid URL.
    func outcome(_ text: String, for person: ShareOwner = person) throws -> PreviewOutcome {
        let url = try WebURL(text)
        let outcome = Monitor<PreviewOutcome?>(nil)
        previewer.preview(of: url, for: person) { found in outcome.update { $0 = found } }
        return try #require(outcome.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0 })
    }

    func title(_ text: String) throws -> String? {
        if case .preview(let preview) = try outcome(text) { preview.title } else { nil }
    }
}
