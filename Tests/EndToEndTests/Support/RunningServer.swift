import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate serve`, started by a test; its output is saved with the test's output when it is released.
final class RunningServer {
    let process: ChildProcess
    let publicAddress: ListenAddress
    let adminAddress: ListenAddress
    private var workspace: Workspace?
    private let output = TestOutput.current

    /// Starts the server and waits until it serves.
    /// - Parameter workspace: retained as long as the server.
    /// - Parameter descriptors: its limit of open files; nil for the test's own.
    convenience init(_ workspace: Workspace, descriptors: Int? = nil) throws {
        try self.init(configuration: workspace.configuration, descriptors: descriptors)
        self.workspace = workspace
    }

    /// Starts the server and waits until it serves.
    init(configuration: String, environment: [String: String] = [:], descriptors: Int? = nil) throws {
        process =
            try descriptors.map { try Self.start(configuration, descriptors: $0) } ?? Self.start(configuration, environment: environment)
        do {
            let line = try process.errors.line(containing: "serving").text
            publicAddress = try Self.address("public", in: line)
            adminAddress = try Self.address("admin", in: line)
        } catch {
            Self.end(process, output)
            throw error
        }
    }

    deinit {
        Self.end(process, output)
    }

    /// Ends the process, if it runs, and saves its output.
    private static func end(_ process: ChildProcess, _ output: TestOutput) {
        process.send(9)
        output.append(outputOf: process, to: "server-\(process.identifier)")
    }

    /// Starts the server without waiting.
    static func start(
        _ configuration: String, environment: [String: String] = [:], errors: ChildProcess.ErrorOutput = .gathered
    ) throws -> ChildProcess {
        let arguments = ["serve", "--config", configuration].map { Array($0.utf8) }
        return try ChildProcess(Deskgate.path, arguments, environment: environment, errors: errors)
    }

    private static func start(_ configuration: String, descriptors: Int) throws -> ChildProcess {
        let script = "ulimit -n \(descriptors) && exec '\(Deskgate.path)' serve --config '\(configuration)'"
        return try ChildProcess("sh", ["-c", script].map { Array($0.utf8) })
    }

    /// Starts the server in a workspace in which it cannot serve. It must end with code 2 and one line without a secret.
    /// - Returns: that line.
    static func complaint(of workspace: Workspace) throws -> String {
        let process = try start(workspace.configuration)
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.output.text().isEmpty)
        let bytes = try process.errors.bytes()
        try TestOutput.current.append(bytes, to: "server-\(process.identifier).stderr")
        #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a request for authorization.
    func authorize(_ key: String, app: String = Workspace.app, user: String = Markers.user) throws -> ReceivedResponse {
        try SocketClient(publicAddress).authorize(key, app: app, user: user)
    }

    /// Stops the server with a signal, and waits for its end.
    func stop(_ signal: Int32 = 15) throws -> ChildProcess.End {
        process.send(signal)
        return try process.waitForEnd()
    }

    /// Parses an address from its line in the log, in either format.
    private static func address(_ name: String, in line: String) throws -> ListenAddress {
        let plain = line.split(separator: " ").first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
        guard let text = try plain.map({ String($0) }) ?? jsonObject(line).string(name) else { throw ChildProcess.Failure.missingOutput }
        if text.hasPrefix("unix:") { return .unix(path: String(text.dropFirst(5))) }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ChildProcess.Failure.missingLine("\(name)=HOST:PORT", hasClosed: false, written: line)
        }
        return .tcp(host: String(text[..<colon]), port: port)
    }
}

/// The status of the response for a path.
func status(_ address: ListenAddress, _ path: String) throws -> Int {
    let client = try SocketClient(address)
    try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return try client.readResponse().status
}

extension SocketClient {
    /// Sends a request for authorization.
    func authorize(_ key: String, app: String = Workspace.app, user: String = Markers.user) throws -> ReceivedResponse {
        let body = Self.body(key, app: app, user: user)
        try send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
        try send(body)
        return try readResponse()
    }

    /// The body of that request.
    static func body(_ key: String, app: String = Workspace.app, user: String = Markers.user) -> [UInt8] {
        let object: JSONValue = ["app_id": .string(app), "user_id": .string(user), "security_key": .string(key)]
        return object.serialized()
    }
}
