internal import CPOSIX
internal import Glibc

/// Requests a reload of another process, and waits for its outcome.
///
/// SIGHUP carries a random number (sigqueue(3)). When the process receives the signal, it connects to the abstract socket with this number,
/// and sends the outcome after the reload. So the outcome of another reload is never confused with this one's. This needs neither a
/// directory that both may write to nor the admin listener, whose token and certificate the reload may replace.
package final class ReloadRequest: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// The process does not run this program, and got no signal.
        case stranger
        case answered([UInt8])
        /// The process has not received the signal.
        case notTaken
        /// The process has received the signal, but has not finished the reload.
        case notFinished
        /// The process has ended during the reload.
        case ended
    }

    private static let outcomeLimit = 1 << 20

    private let process: Int32
    /// The number of the socket's name.
    let number: Int32
    private let listener: Int32

    /// Opens the socket; nothing is sent yet.
    package init(to process: Int32) throws(SystemError) {
        self.process = process
        number = Int32.random(in: 1...Int32.max)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SystemError.last }
        let bound = unsafe try UnixSocketName(ReloadReply.name(of: number)).withAddress { unsafe bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 4) == 0 else { throw SystemError.last }
    }

    deinit {
        close(listener)
    }

    /// Sends the signal, and waits for the outcome. The kernel keeps only one of two pending signals, so the signal is repeated each second
    /// until it is received.
    /// - Throws: when the process does not exist or may not be signalled.
    package func run(timeoutSeconds: Int) throws(SystemError) -> Outcome {
        for passed in 0..<timeoutSeconds {
            guard kill(process, 0) == 0 else { throw SystemError.last }
            // A process may be hidden from its own user (hidepid in proc(5)), so a hidden process is no error.
            if Process.isOfThisProgram(process) == false || Process.blocksHangup(process) == false { return .stranger }
            guard unsafe sigqueue(process, SIGHUP, sigval(sival_int: number)) == 0 else { throw SystemError.last }
            guard let connection = connection(timeoutMilliseconds: 1000) else { continue }
            defer { close(connection) }
            return outcome(connection, timeoutSeconds: timeoutSeconds - passed)
        }
        return .notTaken
    }

    /// Returns the connection of the process; nil when it does not connect in time. All processes on this machine can see the socket's
    /// name, so connections of others are closed and do not end the wait.
    func connection(timeoutMilliseconds: Int64) -> Int32? {
        let end = monotonicMilliseconds() + timeoutMilliseconds
        while true {
            let rest = end - monotonicMilliseconds()
            guard rest > 0 else { return nil }
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, Int32(clamping: rest)) > 0 else { continue }
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            if peer(of: connection) == process { return connection }
            close(connection)
        }
    }

    private func outcome(_ connection: Int32, timeoutSeconds: Int) -> Outcome {
        var patience = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.outcomeLimit {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return .notFinished }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return bytes.isEmpty ? .ended : .answered(bytes)
    }
}

/// Reads the monotonic clock. The module Time cannot be used, because it depends on this one.
private func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Returns the process at the other end of a Unix socket (SO_PEERCRED in unix(7)): 0 when this one cannot see it, nil when it is unknown.
private func peer(of connection: Int32) -> Int32? {
    // struct ucred: the process, its user and its group.
    var peer: [Int32] = [0, 0, 0]
    var size = socklen_t(peer.count * MemoryLayout<Int32>.size)
    return unsafe getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer[0] : nil
}

/// The sender of a `ReloadRequest`, from its signal.
package struct ReloadSender: Sendable, Equatable {
    /// 0 when the receiver cannot see the process, as from within a container.
    let process: Int32
    /// The number of the name of the sender's socket.
    let number: Int32
}

/// The connection to the sender of a `ReloadRequest`, open from the receipt of its signal until the outcome is sent.
package final class ReloadReply: Sendable {
    private let connection: Int32

    /// Returns nil when the sender no longer waits. Another process may have its socket's name by then.
    package init?(to sender: ReloadSender) {
        connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard connection >= 0 else { return nil }
        // A sender that does not read must not block the thread that handles signals forever.
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let result = unsafe (try? UnixSocketName(Self.name(of: sender.number)))?.withAddress { unsafe connect(connection, $0, $1) }
        guard result == 0, peer(of: connection) == sender.process else { return nil }
    }

    deinit {
        // The end of the outcome.
        close(connection)
    }

    /// Sends the outcome; release the reply afterwards. Bytes that the sender no longer reads are dropped.
    package func send(_ outcome: [UInt8]) {
        var rest = outcome[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    static func name(of number: Int32) -> String { "@deskgate-reload-\(number)" }
}
