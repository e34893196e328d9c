import TestSupport
import Testing

@testable import Configuration
@testable import Service

@Suite struct OpenFilesTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        for (number, name) in ["a", "b"].enumerated() { try directory.scratch.write("\(name).whsec", TestSecret.signing(40 + number)) }
    }

    private func wanted(_ members: String) throws -> Int { try directory.configuration(members: members).wantedOpenFiles }

    @Test func `each client needs one descriptor`() throws {
        #expect(try wanted(#""log":{}"#) == 11_064)
        #expect(try wanted(#""listen":{"max_connections":20},"admin":{"max_connections":7}"#) == 20 + 7 + 64)
    }

    @Test func `notifiers need their own descriptors`() throws {
        let notifiers = [("a", 30), ("b", 4)].map { name, concurrency in
            #""\#(name)":{"type":"http","url":"https://a.test/","secret":{"file":"\#(name).whsec"},"concurrency":\#(concurrency)}"#
        }
        #expect(try wanted(#""notifiers":{"log":{"type":"log"},\#(notifiers.joined(separator: ","))}"#) == 11_064 + 34)
    }

    @Test func `the export of traces needs one descriptor`() throws {
        #expect(try wanted(#""traces":{"otlp":{"url":"https://c.test/"}}"#) == 11_065)
    }

    /// Known and new keys have separate HTTP clients.
    @Test(arguments: [("key", 0), ("key_and_backend", 256), ("backend", 512)])
    func `the mode determines the number of connections to an app's backend`(mode: String, connections: Int) throws {
        let address = mode == "key" ? "" : #","url":"https://a.test/","secret":{"file":"a.whsec"}"#
        let app = #"{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"verify":{"mode":"\#(mode)"\#(address)}}"#
        #expect(try directory.configuration(#"{"apps":[\#(app)]}"#).wantedOpenFiles == 11_064 + connections)
    }

    @Test func `backends of bots are counted once`() throws {
        let directory = try BotDocument.directory()
        let other = BotDocument.bot(["name": #""other""#, "secret": #"{"file":"secrets/other.whsec"}"#])
        try directory.scratch.write("secrets/other.whsec", TestSecret.signing(42))
        #expect(try directory.configuration(bots: BotDocument.bot(), other).wantedOpenFiles == 11_064 + 2048)
    }
}
