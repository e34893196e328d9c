package import Threading
internal import Time

/// An HTTP client: libcurl with all its transfers on one thread of its own.
///
/// Any thread may send. Every client must be closed. Redirects are not followed, certificates are always verified (TLS 1.2 or later) with the
/// server's name or, of a `PinnedServer`, its key, before anything of a request is sent, and neither cookies nor the environment matter. A
/// request on a kept connection that turns out to be closed is sent again on a new one, so what is not idempotent needs an id that the other
/// side knows it by.
package final class Client: Sendable {
    private let settings: ClientSettings
    private let inbox: Inbox
    private let thread: OwnThread

    /// Starts the client's thread.
    /// - Throws: when the system has no room for another thread.
    package init(settings: ClientSettings = ClientSettings()) throws(ThreadError) {
        settings.check()
        _ = CurlLibrary.prepared
        let multi = MultiHandle(settings)
        let inbox = Inbox(multi, limit: settings.requestLimit)
        self.settings = settings
        self.inbox = inbox
        do throws(ThreadError) {
            thread = try OwnThread { Engine(settings, inbox, multi).run() }
        } catch {
            multi.free()
            throw error
        }
    }

    deinit {
        precondition(inbox.isClosing, "a client must be closed before it is let go")
    }

    /// Sends a request.
    /// - Parameter completion: called exactly once, on the client's thread: it must not block, nor close the client, but may send.
    /// - Returns: the way to cancel it; nil when it was refused, because of too many requests (`.overloaded`) or a client that is closed
    ///   (`.cancelled`): then the completion has been called already, on this thread.
    @discardableResult
    package func send(
        _ request: ClientRequest, completion: @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void
    ) -> Cancellation? {
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(request.timeoutMilliseconds)
        let transfer = Transfer(request, origin: origin(of: request), deadline: deadline, completion: completion)
        switch inbox.submit(transfer) {
        case nil: return Cancellation(transfer, inbox)
        case .overloaded: transfer.finish(.failure(.overloaded))
        case .closed: transfer.finish(.failure(.cancelled))
        }
        return nil
    }

    /// Ends every request with `.cancelled`, closes every connection and waits for the thread. Call it once, and not in a completion.
    package func close() {
        inbox.close()
        thread.join()
    }

    private func origin(of request: ClientRequest) -> Origin {
        guard settings.proxy?.utf8.starts(with: "http".utf8) == true else { return request.origin }
        return request.origin.isSecure ? request.origin : .proxy
    }
}
