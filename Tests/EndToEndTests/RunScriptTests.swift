import TestSupport
import Testing

/// `Scripts/run`, which `make run` calls when the binary is built.
@Suite struct RunScriptTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    private func run(_ name: String, port: UInt16) throws -> ChildProcess {
        try ChildProcess(
            packageRoot + "/Scripts/run", [],
            environment: ["DESKGATE": Deskgate.path, "DATA": scratch.path(name), "PORT": "\(port)"])
    }

    /// Runs it on a port outside the range from which the system gives ports to others.
    private func serving() throws -> (ChildProcess, UInt16) {
        for port in (0..<20).map({ _ in UInt16.random(in: 20_000..<30_000) }) {
            let process = try run("data-\(port)", port: port)
            if (try? process.output.line(containing: "Deskgate serves")) != nil { return (process, port) }
        }
        throw ChildProcess.Failure.missingOutput
    }

    @Test func announcesItsOwnServiceAlone() throws {
        let (first, port) = try serving()
        let line = try first.output.line(containing: "/pyrus/authorize").text
        let answer = try Command("sh", "-c", line)
        #expect(answer.output.contains("200 OK"))
        let second = try run("other", port: port)
        #expect(try second.waitForEnd() == .exit(2))
        #expect(try !second.output.text().contains("serves"))
        let errors = try second.errors.text()
        #expect(
            errors.contains(
                "cannot listen on 127.0.0.1:\(port): it is already in use; stop the process that \"ss -ltnp sport = :\(port)\" shows"))
        #expect(errors.contains("make run PORT=8100"))
        let again = try run("data-\(port)", port: port)
        #expect(try again.waitForEnd() == .exit(2))
        #expect(try !again.output.text().contains("serves"), "the service that runs already is not this one")
        first.send(2)
        #expect(try first.waitForEnd() == .exit(0))
        #expect(try first.errors.text().contains("stopped"))
    }
}
