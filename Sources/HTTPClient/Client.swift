package import Threading
internal import Time

/// An HTTP client: libcurl with all its transfers on one dedicated thread.
///
/// Any thread may send requests. The owner must call `close`. Redirects are not followed. Certificates are always verified (TLS 1.2 or
/// later) before any part of a request is sent: against the server's name or, for a `PinnedServer`, its key. Cookies and environment
/// variables are ignored. If an idle connection turns out to be closed, its request is sent again on a new connection. A request that must
/// be sent at most once requires a client that keeps no connections (`ClientSettings.keepsConnections`), or an id with which the server
/// detects duplicates.
package final class Client: Sendable {
    private let settings: ClientSettings
    private let inbox: Inbox
    private let thread: DedicatedThread

    /// Starts the client's thread.
    /// - Throws: when the thread cannot be created.
    package init(settings: ClientSettings = ClientSettings()) throws(ThreadError) {
        settings.check()
        _ = CurlLibrary.prepared
        let multi = MultiHandle(settings)
        let inbox = Inbox(multi, bounds: settings.requestBounds)
        self.settings = settings
        self.inbox = inbox
        do throws(ThreadError) {
            thread = try DedicatedThread { Engine(settings, inbox: inbox, multi: multi).run() }
        } catch {
            multi.free()
            throw error
        }
    }

    deinit {
        precondition(inbox.isClosing, "a client must be closed before it is released")
    }

    /// Sends a request.
    /// - Parameters:
    ///   - owner: the owner of the request, such as an app, whose share of the client is used if the settings limit each owner.
    ///   - completion: called exactly once, on the client's thread. It must not block or close the client, but may send.
    /// - Returns: a handle for cancelling; nil when the request was refused, because a limit of requests was reached (`.overloaded`) or
    ///   the client is closed (`.cancelled`). The completion has then been called already, on this thread.
    @discardableResult
    package func send(
        _ request: ClientRequest, for owner: String = "",
        completion: @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void
    ) -> Cancellation? {
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(request.timeoutMilliseconds)
        let transfer = Transfer(request, for: owner, to: origin(of: request), deadline: deadline, completion: completion)
        switch inbox.submit(transfer) {
        case nil: return Cancellation(transfer, inbox)
        case .overloaded: transfer.finish(.failure(.overloaded))
        case .closed: transfer.finish(.failure(.cancelled))
        }
        return nil
    }

    /// Ends every request with `.cancelled`, closes every connection, and waits for the thread. Must be called exactly once, and not from a
    /// completion.
    package func close() {
        inbox.close()
        thread.join()
    }

    private func origin(of request: ClientRequest) -> Origin {
        guard settings.proxy?.utf8.starts(with: "http".utf8) == true else { return request.origin }
        return request.origin.isSecure ? request.origin : .proxy
    }
}
