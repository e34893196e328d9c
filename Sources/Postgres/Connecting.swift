internal import CPostgres

/// Opens a libpq connection with given settings, and enters pipeline mode.
///
/// The loop over hosts and addresses is here, because libpq's asynchronous functions would spend all of the time on the first host that
/// does not answer.
struct Connecting {
    private let settings: ConnectionSettings
    private let notices: NoticeCollector

    init(_ settings: ConnectionSettings, _ notices: NoticeCollector) {
        self.settings = settings
        self.notices = notices
    }

    /// Connects to the first suitable host. The caller owns the connection, and must end it with PQfinish.
    /// - Throws: one error with the reasons for all hosts.
    func connect(by deadline: Deadline) throws(PostgresError) -> OpaquePointer {
        // `prefer-standby` takes two rounds, one for standbys and one for any server, because each attempt gets only one host.
        let attributes = settings.options["target_session_attrs"]
        let rounds = attributes == "prefer-standby" ? ["standby", "any"] : [attributes]
        let attempts = rounds.flatMap { attributes in settings.hosts.map { (attributes, $0) } }
        var errors: [PostgresError] = []
        for (index, (attributes, host)) in attempts.enumerated() {
            let share = deadline.share(of: attempts.count - index, limitMilliseconds: settings.attemptMilliseconds)
            do throws(PostgresError) {
                return unsafe try connect(host, attributes, by: share)
            } catch {
                errors.append(error)
            }
        }
        throw Self.combined(errors)
    }

    private func connect(_ host: ServerHost, _ attributes: String?, by deadline: Deadline) throws(PostgresError) -> OpaquePointer {
        let addresses = try HostResolver.addresses(of: host, by: deadline)
        var errors: [PostgresError] = []
        for (index, address) in addresses.enumerated() {
            var options = settings.options
            options["target_session_attrs"] = attributes
            options["host"] = host.name
            options["hostaddr"] = address
            options["port"] = "\(host.port)"
            let share = deadline.share(of: addresses.count - index)
            do throws(PostgresError) {
                return unsafe try attempt(ParameterBlock(options, secrets: settings.secrets), host, by: share)
            } catch {
                errors.append(error)
            }
        }
        throw Self.combined(errors)
    }

    private func attempt(_ block: ParameterBlock, _ host: ServerHost, by deadline: Deadline) throws(PostgresError) -> OpaquePointer {
        guard let handle = unsafe block.startConnecting() else { throw PostgresError(.notConnected, "no memory for a connection") }
        unsafe notices.attach(to: handle)
        // Makes libpq include the SQLSTATE in the message of a rejected connection, because libpq has no function for it.
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        do throws(PostgresError) {
            unsafe try finish(handle, host, by: deadline)
        } catch {
            unsafe PQfinish(handle)
            throw error
        }
        return unsafe handle
    }

    private func finish(_ handle: OpaquePointer, _ host: ServerHost, by deadline: Deadline) throws(PostgresError) {
        // libpq requires a wait until the socket is writable before the first call of PQconnectPoll.
        var state = PGRES_POLLING_WRITING
        while unsafe PQstatus(handle) != CONNECTION_BAD, state != PGRES_POLLING_OK {
            let isWriting = state == PGRES_POLLING_WRITING
            guard SocketWait.wait(unsafe PQsocket(handle), reading: !isWriting, writing: isWriting, by: deadline) != nil else {
                throw PostgresError(.noAnswer, "connection to \(host) failed: no answer in time")
            }
            state = unsafe PQconnectPoll(handle)
            if state == PGRES_POLLING_FAILED { break }
        }
        guard state == PGRES_POLLING_OK else { throw unsafe ConnectRefusal(handle).error }
        guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else {
            throw PostgresError(.notConnected, "connection to \(host) failed: pipeline mode is not available")
        }
    }

    /// Combines the errors of all attempts: the kind is that of the first error that a retry cannot fix, and the message contains all
    /// messages.
    private static func combined(_ errors: [PostgresError]) -> PostgresError {
        guard let last = errors.last else { return PostgresError(.settings, "the address has no host") }
        let main = errors.first { !$0.isRetryable } ?? last
        var messages: [String] = []
        for error in errors where !messages.contains(error.message) { messages.append(error.message) }
        return PostgresError(main.failure, messages.joined(separator: ", and "), sqlState: main.sqlState)
    }
}

struct ConnectRefusal {
    let error: PostgresError

    /// Parses the error message of a failed connection whose verbosity is PQERRORS_VERBOSE.
    init(_ handle: OpaquePointer) {
        let message = unsafe String(cString: PQerrorMessage(handle))
        let lines = message.split(whereSeparator: \.isNewline).map { String($0) }
        // Uses the last attempt: libpq may have tried with and without encryption. Other lines are details that may quote confidential
        // data.
        let line = lines.last { $0.hasPrefix("connection to server") } ?? lines.first ?? "connection failed"
        let (words, state) = Self.withoutState(line)
        if let state {
            error = PostgresError(.notConnected, words, sqlState: state)
        } else if unsafe PQconnectionNeedsPassword(handle) == 1 {
            error = PostgresError(.notConnected, words, sqlState: .invalidPassword)
        } else if line.contains("session is read-only") || line.contains("standby mode") {
            error = PostgresError(.notConnected, words, sqlState: .readOnlyTransaction)
        } else {
            let isOfTLS = (line.contains("SSL") && !line.contains("SSL SYSCALL")) || line.contains("certificate")
            error = PostgresError(isOfTLS ? .notVerified : .notConnected, words)
        }
    }

    /// Removes `FATAL:  28P01: ` from a line; the severity may be in any language.
    private static func withoutState(_ line: String) -> (words: String, state: SQLState?) {
        let bytes = Array(line.utf8)
        for start in bytes.indices.dropLast(10) where bytes[start..<start + 3].elementsEqual(":  ".utf8) {
            let code = String(decoding: bytes[start + 3..<start + 8], as: UTF8.self)
            guard let state = SQLState(code), bytes[start + 8] == UInt8(ascii: ":") else { continue }
            let severity = bytes[..<start].lastIndex(of: UInt8(ascii: " ")) ?? 0
            let before = String(decoding: bytes[..<severity], as: UTF8.self)
            return (before + String(decoding: bytes[(start + 9)...], as: UTF8.self), state)
        }
        return (line, nil)
    }
}
