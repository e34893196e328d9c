internal import HTML
package import HTTPClient
package import POSIX
package import Threading
internal import Time

/// Makes previews of pages on the public Internet. Safe on any thread. The owner must call `close`.
///
/// Threads are created on demand, so a service that makes no previews has none.
package final class URLPreviewer: Sendable {
    /// Called once, on any thread; must not block.
    package typealias Waiter = @Sendable (PreviewOutcome) -> Void

    /// Whether pages can be parsed: libxml2, which only previews load, is installed.
    package static var isAvailable: Bool { HTMLReader.isAvailable }

    /// The longest time until an outcome: fetching, and parsing the page.
    package static let longestMilliseconds: UInt64 = TimeLimit.milliseconds(8000)

    /// The most open connections: one for each page that is fetched.
    package static let connectionLimit = PreviewCache<Waiter>.Limits().fetches

    /// Without the version, which other servers need not know.
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

    /// Creates no thread.
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

    /// Makes or finds the preview of a page.
    /// - Parameters:
    ///   - person: the user, whose shares limit the fetches.
    ///   - waiter: may be called before this returns.
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

    /// Cancels all fetches and waits for them; later calls get `busy`. A second call does nothing. Must not be called from a waiter.
    package func close() {
        let client = state.withLock { state in
            state.isClosed = true
            return state.client.take()
        }
        resolver.close()
        client?.close()
        // Each fetch ends at its time limit at the latest.
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
            // An end caused by the stop of the service is no result for the page.
            let outcome = state.isClosed ? .busy : outcome
            return state.cache.finish(url.text, outcome, now: SystemClock.monotonicMilliseconds()).map { ($0, outcome) }
        }
        for (waiter, outcome) in waiters { waiter(outcome) }
        state.update { $0.running -= 1 }
    }
}
