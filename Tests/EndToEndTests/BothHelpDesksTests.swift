import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing
import Threading

/// One process serves an app of Pyrus and an app of Sendbird while all their secrets are rotated repeatedly under requests of every kind.
@Suite struct BothHelpDesksTests {
    private static let rotations = 5
    private static let clients = BothSite.Call.allCases + BothSite.Call.allCases

    private struct Progress {
        var generation: BothSite.Generation
        var number = 1
        var isOver = false
        var failures: [String] = []
        var answers: [BothSite.Call: Int] = [:]
        /// The generation of each client's last request.
        var used: [Int: Int] = [:]
        /// The webhooks that were accepted.
        var posted: Set<String> = []
        /// The number of webhooks that were answered as duplicates.
        var duplicates = 0
        /// The number of 503 responses, which a slow disk causes.
        var refusals = 0
    }

    private let sink: ScriptedServer
    private let chat: ScriptedServer
    private let site: BothSite

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
        chat = try ScriptedServer(.everyRequest(.respond(200, body: #"{"token":"\#(BothSite.sessionToken)"}"#)))
        site = try BothSite(sink: sink, chat: chat)
    }

    private static let accepted = "200 accepted"
    private static let known = "200 duplicate"

    /// The expected responses, one for each post: a repeated post is a duplicate.
    private static func expected(_ call: BothSite.Call) -> [String] {
        switch call {
        case .pyrusAuthorize: ["200 authorized"]
        case .sessionToken: ["200 \(BothSite.sessionToken)"]
        case .pyrusWebhook, .chatWebhook, .deskWebhook: [accepted, known]
        }
    }

    /// Sends a request like a help desk, which retries after a 503.
    /// - Returns: the response. A webhook that was refused with 503 and is then a duplicate had been accepted.
    private static func ask(
        _ request: BothSite.Request, client: SocketClient, expecting expected: String, progress: Monitor<Progress>
    ) throws -> String {
        var (answer, refusals) = (try request.send(to: client), 0)
        var failure: (any Error)?
        _ = eventually {
            guard answer.hasPrefix("503") else { return true }
            refusals += 1
            do { answer = try request.send(to: client) } catch { failure = error }
            return failure != nil
        }
        if let failure { throw failure }
        progress.withLock { progress in
            progress.refusals += refusals
            progress.duplicates += answer == known ? 1 : 0
        }
        return refusals > 0 && expected == accepted && answer == known ? accepted : answer
    }

    /// Repeats requests with the secrets of the current generation. Every fourth webhook is posted twice.
    private static func load(_ number: Int, site: BothSite, address: ListenAddress, progress: Monitor<Progress>) {
        let call = clients[number]
        do {
            let client = try SocketClient(address)
            while true {
                let (isOver, subject, generation) = progress.withLock { progress in
                    progress.number += 1
                    return (progress.isOver, progress.number, progress.generation)
                }
                if isOver { return }
                let request = try site.request(call, number: subject, generation: generation)
                let expected = expected(call).prefix(subject.isMultiple(of: 4) ? 2 : 1)
                let answers = try expected.map { try ask(request, client: client, expecting: $0, progress: progress) }
                progress.update { progress in
                    progress.answers[call, default: 0] += 1
                    progress.used[number] = generation.number
                    if Self.expected(call).count > 1 { progress.posted.insert("\(call) \(subject)") }
                    if answers != Array(expected) { progress.failures.append("\(call) of generation \(generation.number): \(answers)") }
                }
            }
        } catch {
            progress.update { $0.failures.append("\(call): \(error)") }
        }
    }

    /// Waits until every kind has `count` more responses, and every client one with the current generation.
    private func waitForMore(_ count: Int, _ progress: Monitor<Progress>) -> Bool {
        let goals = progress.withLock { progress in
            progress.used = [:]
            return progress.answers.mapValues { $0 + count }
        }
        return progress.wait(timeoutMilliseconds: WaitLimit.milliseconds) { progress in
            guard progress.failures.isEmpty else { return false }
            guard Self.clients.indices.allSatisfy({ progress.used[$0] == progress.generation.number }) else { return nil }
            return BothSite.Call.allCases.allSatisfy { progress.answers[$0, default: 0] >= goals[$0, default: count] } ? true : nil
        } ?? false
    }

    /// Makes the service reload its configuration.
    private func reload(_ server: RunningServer, _ reloads: inout Int, isRefused: Bool = false) throws {
        server.process.send(SIGHUP)
        reloads =
            try server.process.errors.line(containing: isRefused ? "configuration not reloaded" : "configuration reloaded", from: reloads)
            .number + 1
    }

    /// The response to each call with the secrets of a generation. The numbers of its webhooks are not used elsewhere.
    private func answers(
        _ server: RunningServer, _ generation: BothSite.Generation, from number: Int, in progress: Monitor<Progress>
    ) throws -> [String] {
        let client = try SocketClient(server.publicAddress)
        return try BothSite.Call.allCases.map { call in
            try Self.ask(
                site.request(call, number: number, generation: generation), client: client, expecting: Self.expected(call)[0],
                progress: progress)
        }
    }

    @Test func `rotate under load`() throws {
        defer { for server in [sink, chat] { server.stop() } }
        var generation = try BothSite.Generation(1)
        try site.configure([generation])
        let server = try RunningServer(site.workspace)
        let progress = Monitor(Progress(generation: generation))
        let clients = Self.clients.indices.map { [site, address = server.publicAddress] number in
            startThread { Self.load(number, site: site, address: address, progress: progress) }
        }
        do {
            defer {
                progress.update { $0.isOver = true }
                for client in clients { client.join() }
            }
            try rotate(&generation, server: server, progress: progress)
        }
        let end = progress.withLock { $0 }
        #expect(end.failures == [])
        try everythingHasArrivedOnce(end, server)
        #expect(chat.requests.last?.header("Api-Token") == generation.chatToken)
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        let errors = log.split(separator: "\n").filter { line in
            line.contains(#""level":"error""#) && !(end.refusals > 0 && line.contains(#""message":"webhook""#))
        }
        #expect(errors.count == 1 && errors[0].contains("configuration not reloaded"))
        for secret in [generation.chatToken, generation.deskToken, generation.path, BothSite.sessionToken, "Hello"] {
            #expect(!log.contains(secret))
        }
    }

    /// Rotates all secrets several times during requests.
    /// - Parameter generation: the one in force.
    private func rotate(_ generation: inout BothSite.Generation, server: RunningServer, progress: Monitor<Progress>) throws {
        var (reloads, extra) = (0, 1_000_000_000)
        for number in 2...(1 + Self.rotations) {
            #expect(waitForMore(10, progress))
            // The new secret is added, then used, then the old one is removed, as an operator would.
            let former = generation
            let next = try BothSite.Generation(number)
            generation = next
            try site.configure([next, former])
            try reload(server, &reloads)
            #expect(try answers(server, former, from: extra, in: progress) == Self.right(in: progress, extra))
            progress.update { $0.generation = next }
            #expect(waitForMore(10, progress))
            try site.configure([next], number == 3 ? ["unknown": 1] : [:])
            if number == 3 {
                try reload(server, &reloads, isRefused: true)
                #expect(try answers(server, former, from: extra + 1, in: progress) == Self.right(in: progress, extra + 1))
                try site.configure([next])
            }
            try reload(server, &reloads)
            let denied = Array(repeating: "403", count: BothSite.Call.allCases.count)
            #expect(try answers(server, former, from: extra + 2, in: progress) == denied)
            #expect(try answers(server, next, from: extra + 3, in: progress) == Self.right(in: progress, extra + 3))
            extra += 10
        }
        #expect(waitForMore(10, progress))
    }

    /// The expected responses to `answers`, whose webhooks are recorded as posted.
    private static func right(in progress: Monitor<Progress>, _ number: Int) -> [String] {
        progress.update { progress in
            for call in BothSite.Call.allCases where expected(call).count > 1 { progress.posted.insert("\(call) \(number)") }
        }
        return BothSite.Call.allCases.map { expected($0)[0] }
    }

    /// Expects that each webhook with a 200 caused one event with one id at the sink, and is counted.
    private func everythingHasArrivedOnce(_ end: Progress, _ server: RunningServer) throws {
        #expect(eventually { Set(sink.requests.map { $0.header("webhook-id") }).count >= end.posted.count })
        let metrics = try PushSite.get(server.adminAddress, "/metrics")
        let requests = sink.requests
        let subjects = try requests.map { try #require(try BothSite.subject(of: $0)) }
        #expect(Set(subjects) == end.posted)
        #expect(Set(requests.map { $0.header("webhook-id") }).count == end.posted.count)
        func sum(_ name: String, _ label: String) -> Int {
            metrics.split(separator: "\n").filter { $0.hasPrefix("\(name){") && $0.contains(label) }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        }
        #expect(sum("deskgate_webhook_events_total", #"result="accepted""#) == end.posted.count)
        // A webhook whose response came too late, after a 503, is counted as well.
        let duplicates = sum("deskgate_webhook_events_total", #"result="duplicate""#)
        #expect((end.duplicates...end.duplicates + end.refusals).contains(duplicates))
        #expect(end.duplicates > 0)
        #expect(sum("deskgate_config_reloads_total", #"result="success""#) == 2 * Self.rotations)
        #expect(sum("deskgate_config_reloads_total", #"result="failure""#) == 1)
        let sessions = sum("deskgate_session_token_requests_total", #"result="issued""#)
        #expect(sessions > 0)
        #expect(sessions + sum("deskgate_session_token_requests_total", #"result="kept""#) > end.answers[.sessionToken, default: 0])
        #expect(sum("deskgate_http_requests_total", #"code="5"#) == end.refusals)
    }
}
