import HTTPServer
import Synchronization
import TestSupport
import Testing
import Threading

/// Many clients at once, some of which disconnect: every request whose client waits is answered once.
@Suite struct ConcurrencyTests {
    @Test(arguments: [1, 2, 4])
    func `answers each request once`(threads: Int) throws {
        let fixture = try ServerFixture(settings: ServerSettings(threads: threads))
        defer { fixture.stop() }
        var (answered, abandoned) = (0, 0)
        let clients = (0..<6).map { seed in
            let worker = Worker(fixture: fixture, seed: UInt64(seed + 1))
            return (worker, startThread { worker.run(requests: 150) })
        }
        for (worker, thread) in clients {
            thread.join()
            answered += worker.answered.load(ordering: .relaxed)
            abandoned += worker.abandoned.load(ordering: .relaxed)
            #expect(worker.wrong.load(ordering: .relaxed) == 0)
        }
        #expect(eventually { fixture.server.connectionCount == 0 })
        let observed = fixture.observed.count(of: 200)
        #expect(answered + abandoned == 6 * 150)
        #expect((answered...answered + abandoned).contains(observed))
    }
}

/// One client thread, which sometimes disconnects without waiting for its response.
private final class Worker: Sendable {
    let answered = Atomic(0)
    let abandoned = Atomic(0)
    let wrong = Atomic(0)
    private let fixture: ServerFixture
    private let seed: UInt64

    init(fixture: ServerFixture, seed: UInt64) {
        self.fixture = fixture
        self.seed = seed
    }

    func run(requests: Int) {
        var random = SeededGenerator(seed: seed)
        var client: SocketClient?
        for number in 0..<requests {
            let path = random.next() % 2 == 0 ? "/echo" : "/later"
            let text = request("POST", path: path, body: "body \(seed) \(number)")
            do {
                let connected = try client ?? fixture.client()
                client = connected
                if random.next() % 8 == 0 {
                    try connected.send(text)
                    client = nil
                    abandoned.add(1, ordering: .relaxed)
                } else {
                    try connected.send(text)
                    let response = try connected.readResponse()
                    let isRight = response.status == 200 && response.text == "body \(seed) \(number)"
                    if isRight { answered.add(1, ordering: .relaxed) } else { wrong.add(1, ordering: .relaxed) }
                }
            } catch {
                wrong.add(1, ordering: .relaxed)
            }
        }
    }
}
