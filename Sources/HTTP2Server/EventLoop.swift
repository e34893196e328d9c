internal import CNghttp2
internal import Glibc
internal import Time

/// The event loop of one server thread: accepts connections, reads, runs nghttp2 and the handler, writes, and waits.
///
/// The loop is created, used and released on its thread. It waits with poll(2), which is sufficient because a simulator has tens of
/// connections, not thousands.
final class EventLoop {
    private enum Timer {
        case openConnection(Int)
        case perform(connection: Int, stream: Int32, HTTP2Action)
    }

    private let context: ListenerContext
    private let inbox: LoopInbox
    private let listening: ListeningSocket
    private var connections: [Int: Connection] = [:]
    private var timers = TimerQueue<Timer>()
    private var polled: [pollfd] = []
    private var numbers: [Int] = []
    private var isDraining = false

    init(_ context: ListenerContext, inbox: LoopInbox, listening: ListeningSocket) {
        self.context = context
        self.inbox = inbox
        self.listening = listening
    }

    /// Runs until the server is stopped, then closes everything.
    func run() {
        while true {
            wait()
            for (index, number) in numbers.enumerated() where polled[index + 2].revents != 0 {
                connections[number]?.serve(polled[index + 2].revents)
            }
            if polled[1].revents != 0 { acceptAll() }
            for command in inbox.take() {
                if case .end = command { return end() }
                obey(command)
            }
            runTimers()
            flushAll()
        }
    }

    func schedule(connection: Int, stream: Int32, _ action: HTTP2Action, milliseconds: Int) {
        let due = SystemClock.monotonicMilliseconds() + UInt64(max(0, milliseconds))
        timers.insert(.perform(connection: connection, stream: stream, action), due: due)
    }

    private func wait() {
        polled.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        polled.append(pollfd(fd: inbox.reading, events: Int16(POLLIN), revents: 0))
        // poll(2) ignores negative descriptors.
        polled.append(pollfd(fd: isDraining ? -1 : listening.descriptor, events: Int16(POLLIN), revents: 0))
        for (number, connection) in connections {
            polled.append(pollfd(fd: connection.descriptor, events: connection.interest, revents: 0))
            numbers.append(number)
        }
        var timeout: Int32 = -1
        if let due = timers.firstDue {
            timeout = Int32(clamping: SystemClock.monotonicMilliseconds().remaining(until: due))
        }
        unsafe poll(&polled, nfds_t(polled.count), timeout)
    }

    private func acceptAll() {
        while let descriptor = listening.accept() {
            guard let number = context.admit() else {
                close(descriptor)
                continue
            }
            let opening = context.opening(number)
            connections[number] = Connection(descriptor, number: number, context: context, inbox: inbox, loop: self, opening: opening)
            if case .delayHandshake(let milliseconds?) = opening {
                timers.insert(.openConnection(number), due: SystemClock.monotonicMilliseconds() + UInt64(max(0, milliseconds)))
            }
        }
    }

    private func obey(_ command: LoopInbox.Command) {
        switch command {
        case .perform(let connection, let stream, let action): connections[connection]?.perform(action, stream: stream)
        case .performOnAll(let action):
            for connection in connections.values { connection.perform(action, stream: nil) }
        case .drain:
            isDraining = true
            for connection in connections.values { connection.perform(.goAway(lastStream: .all), stream: nil) }
        case .end: break
        }
    }

    private func runTimers() {
        guard timers.firstDue != nil else { return }
        let now = SystemClock.monotonicMilliseconds()
        while let timer = timers.next(now: now) {
            switch timer {
            case .openConnection(let number): connections[number]?.open()
            case .perform(let connection, let stream, let action): connections[connection]?.perform(action, stream: stream)
            }
        }
    }

    private func flushAll() {
        var ended: [Int] = []
        for (number, connection) in connections {
            connection.flush()
            if connection.isClosed { ended.append(number) }
        }
        for number in ended { connections[number] = nil }
    }

    private func end() {
        for connection in connections.values { connection.close() }
        connections.removeAll()
    }
}
