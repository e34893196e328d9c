internal import HTML
package import HTTPClient
package import POSIX
package import Threading
internal import Time

/// Makes previews of pages on the public Internet. Any thread may call it. The owner must call `close`.
///
/// Its threads are made with the first request, so a service without previews has none.
package final class URLPreviewer: Sendable {
    /// Receives the outcome once, on any thread; must not block.
    package typealias Waiter = @Sendable (PreviewOutcome) -> Void

    /// Whether pages can be read here: libxml2, which is loaded for previews alone, is installed.
    package static var isAvailable: Bool { HTMLReader.isAvailable }

    /// Milliseconds for an outcome: the time of a fetch, and some to read the page.
    package static let longestMilliseconds: UInt64 = TimeLimit.milliseconds(8000)

    /// The maximum number of connections: one for each page that is fetched.
    package static let connectionLimit = PreviewCache<Waiter>.Limits().fetches

    /// Without the version, which no stranger's server needs to know.
    static let userAgent = "Deskgate (URL preview)"

    private struct State {
        var cache: PreviewCache<Waiter>
        var client: Client?
        var running = 0
        var isClosed = false
    }

    private let rules: PreviewRules
    private let resolver: NameResolver
    private let settings: ClientSettings
    private let state: Monitor<State>

    /// Makes it without a thread.
    /// - Parameter certificateAuthorities: as in `ClientSettings`.
    package convenience init(
        rules: PreviewRules = PreviewRules(), resolver: NameResolver = NameResolver(),
        certificateAuthorities: String? = nil
    ) {
        self.init(rules: rules, resolver: resolver, certificateAuthorities: certificateAuthorities, limits: .init())
    }

    init(
        rules: PreviewRules, resolver: NameResolver, certificateAuthorities: String?, limits: PreviewCache<Waiter>.Limits
    ) {
        self.rules = rules
        self.resolver = resolver
        settings = ClientSettings(
            connectionsPerHost: limits.fetches, connectionLimit: limits.fetches, requestLimit: limits.fetches,
            certificateAuthorities: certificateAuthorities, admits: rules.admits, userAgent: Self.userAgent)
        state = Monitor(State(cache: PreviewCache(limits)))
    }

    /// Finds the preview of a page.
    /// - Parameters:
    ///   - person: an app, and a person of it, who have shares of the fetches.
    ///   - waiter: gets the outcome, perhaps before this returns.
    package func preview(of url: WebURL, for person: ShareOwner, _ waiter: @escaping Waiter) {
        if let problem = rules.problem(of: url) { return waiter(.none(problem)) }
        let (step, client) = state.withLock { state -> (PreviewCache<Waiter>.Step, Client?) in
            guard !state.isClosed else { return (.answer(.busy), nil) }
            if state.client == nil { state.client = try? Client(settings: settings) }
            let step = state.cache.ask(url.text, for: person, waiter, now: SystemClock.monotonicMilliseconds())
            if step == .fetch { state.running += 1 }
            return (step, state.client)
        }
        switch step {
        case .wait: break
        case .answer(let outcome): waiter(outcome)
        case .fetch: fetch(url, for: person, client)
        }
    }

    /// Ends all fetches and waits for them; later requests get `busy`. A second call does nothing. Must not be called by a waiter.
    package func close() {
        let client = state.withLock { state in
            state.isClosed = true
            return state.client.take()
        }
        resolver.close()
        client?.close()
        // Each ends in its time at the latest.
        _ = state.wait { $0.running == 0 ? true : nil }
    }

    private func fetch(_ url: WebURL, for person: ShareOwner, _ client: Client?) {
        guard let client else { return finish(url, .busy) }
        do throws(ThreadError) {
            // A thread of its own, because resolving a name and reading a page block.
            let thread = try DedicatedThread { [self] in
                finish(url, outcome(of: url, PageFetcher(rules: rules, resolver: resolver, client: client, person: person)))
            }
            thread.detach()
        } catch {
            finish(url, .busy)
        }
    }

    private func outcome(of url: WebURL, _ fetcher: PageFetcher) -> PreviewOutcome {
        do throws(PreviewRefusal) {
            let page = try fetcher.page(at: url)
            do throws(PreviewRefusal) {
                return .preview(try URLPreview(page, rules))
            } catch {
                // The part that did not arrive may have it.
                throw page.failure ?? error
            }
        } catch {
            return .none(error)
        }
    }

    private func finish(_ url: WebURL, _ outcome: PreviewOutcome) {
        let waiters = state.withLock { state in
            // An end because the service stops proves nothing about the page.
            let outcome = state.isClosed ? .busy : outcome
            return state.cache.finish(url.text, outcome, now: SystemClock.monotonicMilliseconds()).map { ($0, outcome) }
        }
        for (waiter, outcome) in waiters { waiter(outcome) }
        state.update { $0.running -= 1 }
    }
}
