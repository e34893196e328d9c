import Configuration
import HTTPServer
import Observability
import Service
import TestSupport
import Threading
import Time

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

/// The service with the vectors' configuration, at each vector's time.
final class VectorFixture: Sendable {
    enum Transport: CaseIterable {
        case socket, inProcess
    }

    let vectors: [Vector]
    private let configuration: Configuration
    private let path: String
    private let others: [(name: String, value: String)]
    private let logger: Logger
    private let now = Monitor<UnixSeconds>(0)

    /// Reads the vectors, and a configuration with their apps that is written to a temporary directory.
    init(path: String = "/pyrus/authorize", others: [(name: String, value: String)] = []) throws {
        (self.path, self.others) = (path, others)
        let file = try VectorFile()
        vectors = file.vectors
        configuration = try VectorConfiguration(file).read()
        logger = Logger(level: .error, sink: try LogSink(format: .text))
    }

    /// Sends every vector and returns the names of those with an unexpected status.
    func mismatches(_ encoding: VectorBody, _ transport: Transport) throws -> [String] {
        switch transport {
        case .socket:
            let service = try RunningService(configuration, logger: logger, clocks: clocks)
            defer { service.stop() }
            let client = try SocketClient(service.publicAddress)
            return try mismatches { vector in try send(encoding, vector, through: client) }
        case .inProcess:
            let client = InProcessClient(try ServiceGraph(configuration, logger: logger, clocks: clocks).publicRouter)
            return try mismatches { vector in
                client.send(
                    .post, path, headers: ["Content-Type": encoding.contentType], body: encoding.bytes(vector, others)
                ).status
            }
        }
    }

    private var clocks: Clocks {
        Clocks(unixSeconds: { [now] in now.withLock { $0 } })
    }

    private func mismatches(_ send: (Vector) throws -> Int) throws -> [String] {
        var names: [String] = []
        for vector in vectors {
            now.update { $0 = vector.now }
            let status = try send(vector)
            if status != vector.status { names.append("\(vector.name): \(status)") }
        }
        return names
    }

    private func send(_ encoding: VectorBody, _ vector: Vector, through client: SocketClient) throws -> Int {
        let body = encoding.bytes(vector, others)
        let head = [
            "POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: \(encoding.contentType)",
            "Content-Length: \(body.count)",
        ]
        try client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return try client.readResponse().status
    }
}
