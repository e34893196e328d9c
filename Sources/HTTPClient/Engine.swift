internal import CCurl
internal import Threading
internal import Time

/// The loop of the client's thread: starts requests, runs libcurl, reports results, waits.
///
/// It is created, used and released on that thread.
final class Engine {
    private let settings: ClientSettings
    private let inbox: Inbox
    private let multi: MultiHandle
    let sockets: OpenSockets
    // No owner takes more than its share of an origin's connections, and no origin more than its share of all. libcurl could queue requests
    // itself, but its connect timeout would run while a request is queued.
    private var admission: FairQueue<Transfer>
    private var running: [EasyHandle.ID: Transfer] = [:]
    // Whether a transfer was added since the last call of `perform`.
    private var hasAdded = false
    private var idle: [EasyHandle] = []
    // Transfers whose responses are complete before their ends, since the last call of `perform`.
    private var answered: [Transfer] = []
    // Transfers that have been answered and read their bodies to the end, with the times at which they are given up, in this order.
    private var draining: [(transfer: Transfer, end: MonotonicMilliseconds)] = []
    // At or before the first deadline of the queued requests.
    private var firstDeadline = MonotonicMilliseconds.max
    private var liveness = ConnectionLiveness()
    // Milliseconds for the rest of a body whose response is complete without it.
    private static let drainMilliseconds = UInt64(TimeLimit.milliseconds(1000))

    init(_ settings: ClientSettings, inbox: Inbox, multi: MultiHandle) {
        self.settings = settings
        self.inbox = inbox
        self.multi = multi
        sockets = OpenSockets(admits: settings.admits)
        admission = FairQueue(settings.runningBounds)
    }

    /// Runs until the client is closed, then ends all requests.
    func run() {
        while true {
            let work = inbox.take()
            work.submitted.forEach(enqueue)
            work.cancelled.forEach(cancel)
            if work.isClosing { return end() }
            startWaiting()
            let hasStarted = perform()
            while let (handle, result) = multi.nextFinished() { finish(handle, result) }
            completeAnswered()
            endDraining()
            expireWaiting()
            startWaiting()
            multi.wait(timeoutMilliseconds: hasStarted ? 0 : waitMilliseconds())
        }
    }

    // Returns whether a transfer started within the call, so that the next call must follow at once.
    //
    // curl_multi_perform(3) of libcurl 7.88 reads the clock at its beginning and again for each transfer that starts, and at its end it
    // removes each timer that is due by then. A timer that another transfer set within the call is lost, such as the one that announces a
    // response which was read together with another transfer's. The next call handles all transfers, with or without a timer.
    private func perform() -> Bool {
        let (startsOne, requestCount) = (hasAdded, sockets.requestCount)
        hasAdded = false
        if settings.httpVersion == .http2 { sockets.gathering(multi.perform) } else { multi.perform() }
        return startsOne || sockets.requestCount > requestCount
    }

    private func enqueue(_ transfer: Transfer) {
        let isQueued = admission.add(transfer, for: transfer.place)
        precondition(isQueued, "the inbox limits the waiting requests")
        firstDeadline = min(firstDeadline, transfer.deadline)
    }

    private func startWaiting() {
        while let transfer = admission.next() { start(transfer) }
    }

    // Starts a request that was admitted.
    private func start(_ transfer: Transfer) {
        let now = SystemClock.monotonicMilliseconds()
        guard now < transfer.deadline else {
            admission.finish(transfer.place)
            return complete(transfer, .failure(.timeout(.queued)))
        }
        let easy = idle.popLast() ?? EasyHandle()
        easy.prepare(transfer, settings: settings, sockets: sockets, timeoutMilliseconds: Int(transfer.deadline - now))
        transfer.easy = easy
        transfer.engine = self
        transfer.started = now
        running[easy.id] = transfer
        multi.add(easy)
        hasAdded = true
    }

    private func finish(_ handle: EasyHandle.ID, _ result: CURLcode) {
        guard let transfer = running[handle], let easy = transfer.easy else { return }
        if result == CURLE_ABORTED_BY_CALLBACK {
            // The connection had unread data and is closed now. Nothing was sent, so the transfer starts again.
            stop(transfer, easy)
            return start(transfer)
        }
        let outcome = easy.outcome(result, of: transfer.request, hasProxy: settings.proxy != nil)
        let result = transfer.result(easy, outcome)
        if settings.staysOnFirstConnection, case .success = result { sockets.openNoMore() }
        if settings.httpVersion == .http2 { examine(after: transfer, easy, result) }
        release(transfer, easy)
        if !transfer.isFinished { complete(transfer, result) }
    }

    /// The response of a transfer is complete before its end.
    func noteAnswered(_ transfer: Transfer) {
        answered.append(transfer)
    }

    // A body that arrived with its header section has ended by now. Another one is read to its end, so that its connection can be kept.
    private func completeAnswered() {
        guard !answered.isEmpty else { return }
        let now = SystemClock.monotonicMilliseconds()
        for transfer in answered {
            guard !transfer.isFinished, let easy = transfer.easy else { continue }
            complete(transfer, transfer.result(easy, .success))
            draining.append((transfer, settings.keepsConnections ? now.saturating(adding: Self.drainMilliseconds) : now))
        }
        answered.removeAll()
    }

    private func endDraining() {
        guard !draining.isEmpty else { return }
        let now = SystemClock.monotonicMilliseconds()
        let count = draining.prefix { $0.end <= now }.count
        for (transfer, _) in draining.prefix(count) {
            if let easy = transfer.easy { release(transfer, easy) }
        }
        draining.removeFirst(count)
    }

    // Many transfers share a connection, so the result of one also concerns the others.
    private func examine(after transfer: Transfer, _ easy: EasyHandle, _ result: Result<ClientResponse, ClientError>) {
        switch result {
        case .success:
            guard let connection = easy.connection else { return }
            liveness.succeeded(connection, now: SystemClock.monotonicMilliseconds())
            sockets.prove(connection)
        case .failure(.timeout):
            // libcurl keeps a connection on which a stream timed out, even if the connection is dead.
            guard let connection = easy.connection, liveness.isSilent(connection, since: transfer.started) else { return }
            EasyHandle.disconnect(connection)
        case .failure: break
        }
    }

    private func cancel(_ transfer: Transfer) {
        guard !transfer.isFinished else { return }
        if let easy = transfer.easy {
            release(transfer, easy)
        } else {
            guard !admission.removeWaiting(of: transfer.place, where: { $0 === transfer }).isEmpty else { return }
        }
        complete(transfer, .failure(.cancelled))
    }

    private func release(_ transfer: Transfer, _ easy: EasyHandle) {
        stop(transfer, easy)
        admission.finish(transfer.place)
    }

    // Nothing that the handle points to may be freed before the handle is removed from the multi handle.
    private func stop(_ transfer: Transfer, _ easy: EasyHandle) {
        multi.remove(easy)
        running[easy.id] = nil
        transfer.easy = nil
        transfer.engine = nil
        easy.reset()
        idle.append(easy)
    }

    private func complete(_ transfer: Transfer, _ result: Result<ClientResponse, ClientError>) {
        inbox.finish(transfer)
        transfer.finish(result)
    }

    private func expireWaiting() {
        let now = SystemClock.monotonicMilliseconds()
        guard firstDeadline <= now else { return }
        firstDeadline = .max
        let expired = admission.removeWaiting { transfer in
            guard transfer.deadline > now else { return true }
            firstDeadline = min(firstDeadline, transfer.deadline)
            return false
        }
        for transfer in expired { complete(transfer, .failure(.timeout(.queued))) }
    }

    // libcurl shortens the wait for its own transfers, except when it has lost a timer while a transfer in its own queue found no
    // connection again; this case is not detected here (see `perform`). So the wait is limited while transfers run.
    private func waitMilliseconds() -> Int32 {
        let now = SystemClock.monotonicMilliseconds()
        let end = min(firstDeadline, draining.first?.end ?? .max)
        return Int32(min(now.remaining(until: end), running.isEmpty ? 3_600_000 : 1000))
    }

    private func end() {
        for (transfer, _) in draining { transfer.easy.map { release(transfer, $0) } }
        for transfer in running.values { cancel(transfer) }
        for transfer in admission.removeWaiting(where: { _ in true }) { complete(transfer, .failure(.cancelled)) }
        inbox.end()
        // The easy handles are freed first, because they refer to the multi handle.
        idle.removeAll()
        multi.free()
    }
}
