package import Bytes
internal import Glibc
internal import Threading

/// A scripted name server on a real socket. It listens on a port of 127.0.0.1, and stops when it is released.
package final class DNSServer: Sendable {
    package enum Record: Sendable {
        /// An address; a query for the other address family gets no record. An IPv4-mapped address is treated as IPv4, so `aaaa` has raw
        /// bits.
        case address(IPAddress)
        /// An IPv6 address of these bits.
        case aaaa(UInt128)
        /// The name is an alias of another one, to which the following records belong.
        case alias(of: String)
    }

    package enum Answer: Sendable {
        case records([Record])
        /// The name does not exist.
        case noSuchName
        case silence

        package static func addresses(_ texts: String...) -> Answer {
            .records(
                texts.map { text in
                    guard let address = IPAddress(text) else { preconditionFailure("\(text) is an address") }
                    return .address(address)
                })
        }
    }

    /// The response to a query.
    /// - Parameters:
    ///   - name: in lower case, without a dot at its end.
    ///   - isIPv6: whether the query is for IPv6 addresses.
    ///   - count: the number of earlier equal queries.
    package typealias Script = @Sendable (_ name: String, _ isIPv6: Bool, _ count: Int) -> Answer

    private struct State {
        var questions: [(name: String, isIPv6: Bool)] = []
        var isStopped = false
    }

    package let port: UInt16
    private let socket: Int32
    private let state = Monitor(State())
    private let thread: DedicatedThread

    /// Listens, and responds on its own thread.
    package init(_ script: @escaping Script) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        precondition(unsafe withLoopbackAddress(0) { unsafe bind(socket, $0, $1) } == 0, "a port is free")
        (self.socket, port) = (socket, localPort(of: socket))
        let state = state
        thread = startThread {
            while let (question, sender) = Self.receive(socket) {
                guard let (name, isIPv6) = DNSMessage.question(of: question) else { continue }
                let count = state.update { state in
                    defer { state.questions.append((name, isIPv6)) }
                    return state.questions.count { $0.name == name && $0.isIPv6 == isIPv6 }
                }
                if state.withLock({ $0.isStopped }) { return }
                guard let answer = DNSMessage.answer(script(name, isIPv6, count), to: question, isIPv6: isIPv6) else { continue }
                Self.send(answer, by: socket, to: sender)
            }
        }
    }

    deinit {
        stop()
    }

    package var questions: [(name: String, isIPv6: Bool)] { state.withLock { $0.questions } }

    /// Stops the server and waits for its thread.
    package func stop() {
        guard state.setOnce(\.isStopped) else { return }
        // A query from this process wakes the thread.
        let waking = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let question: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1]
        _ = unsafe withLoopbackAddress(port) { unsafe sendto(waking, question, question.count, 0, $0, $1) }
        thread.join()
        close(waking)
        close(socket)
    }

    private static func receive(_ socket: Int32) -> ([UInt8], sockaddr_in)? {
        var bytes = [UInt8](repeating: 0, count: 1500)
        var sender = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeMutableBytes(of: &sender) { name in
            unsafe recvfrom(socket, &bytes, bytes.count, 0, name.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        return count > 0 ? (Array(bytes.prefix(count)), sender) : nil
    }

    private static func send(_ bytes: [UInt8], by socket: Int32, to sender: sockaddr_in) {
        var sender = sender
        unsafe withUnsafeBytes(of: &sender) { name in
            let address = unsafe name.assumingMemoryBound(to: sockaddr.self).baseAddress
            _ = unsafe sendto(socket, bytes, bytes.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// The parts of RFC 1035 messages that a test's name server needs.
private enum DNSMessage {
    private static let headLength = 12
    private static let (typeA, typeAlias, typeAAAA): (UInt8, UInt8, UInt8) = (1, 5, 28)

    /// The name in a query; nil when it is not a query for addresses.
    static func question(of message: [UInt8]) -> (name: String, isIPv6: Bool)? {
        guard let end = nameEnd(message), message.count >= end + 4 else { return nil }
        var labels: [String] = []
        var position = headLength
        while message[position] != 0 {
            let length = Int(message[position])
            labels.append(String(decoding: message[position + 1...position + length], as: UTF8.self).lowercased())
            position += length + 1
        }
        let type = message[end + 1]
        return type == typeA || type == typeAAAA ? (labels.joined(separator: "."), type == typeAAAA) : nil
    }

    /// Returns nil for silence.
    static func answer(_ answer: DNSServer.Answer, to question: [UInt8], isIPv6: Bool) -> [UInt8]? {
        guard let end = nameEnd(question) else { return nil }
        let asked = question[headLength..<end + 4]
        switch answer {
        case .silence: return nil
        case .noSuchName: return question[..<2] + [0x85, 0x83, 0, 1, 0, 0, 0, 0, 0, 0] + asked
        case .records(let records):
            // A pointer to the name in the question.
            var owner: [UInt8] = [0xC0, UInt8(headLength)]
            var written: [UInt8] = []
            var count: UInt8 = 0
            for record in records {
                guard let (type, data) = content(record), type == typeAlias || (type == typeAAAA) == isIPv6 else { continue }
                // Class IN, a time to live of 0 seconds, the length of the data.
                written += owner + [0, type, 0, 1, 0, 0, 0, 0, 0, UInt8(data.count)] + data
                count += 1
                if type == typeAlias { owner = data }
            }
            return question[..<2] + [0x85, 0x80, 0, 1, 0, count, 0, 0, 0, 0] + asked + written
        }
    }

    private static func content(_ record: DNSServer.Record) -> (type: UInt8, data: [UInt8])? {
        switch record {
        case .address(let address):
            (
                address.isIPv4 ? typeA : typeAAAA,
                (0..<address.width / 8).map { UInt8(truncatingIfNeeded: address.bits >> UInt128(120 - 8 * $0)) }
            )
        case .aaaa(let bits): (typeAAAA, (0..<16).map { UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * $0)) })
        case .alias(let name): (typeAlias, name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0])
        }
    }

    private static func nameEnd(_ message: [UInt8]) -> Int? {
        var position = headLength
        while position < message.count, message[position] != 0 { position += Int(message[position]) + 1 }
        return position < message.count ? position + 1 : nil
    }
}
