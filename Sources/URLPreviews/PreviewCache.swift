internal import Threading
internal import Time

package enum PreviewOutcome: Sendable, Equatable {
    case preview(URLPreview)
    case none(PreviewRefusal)
    /// Not fetched, because the maximum number of pages is being fetched, for this user or others, or the service stops.
    case busy
}

/// Decides when a page is fetched: a cached outcome needs no fetch, and requests for the same page share one.
///
/// Each fetch that `ask` orders must be ended by `finish` exactly once. It is a value, and the caller locks.
struct PreviewCache<Waiter> {
    enum Step: Equatable {
        case answer(PreviewOutcome)
        case wait
        case fetch
    }

    struct Limits {
        var fetches = 32
        var fetchesOfApp = 16
        var fetchesOfPerson = 2
        var entries = 2000
        var bytes = 2 << 20
        /// The lifetime of a cached preview.
        var previewMilliseconds: UInt64 = 3_600_000
        /// The lifetime of a cached refusal.
        var refusalMilliseconds: UInt64 = 60_000
    }

    private struct Entry {
        let outcome: PreviewOutcome
        let until: MonotonicMilliseconds
        let number: Int
    }

    private struct Fetch {
        let person: ShareOwner
        var waiters: [Waiter]
    }

    private let limits: Limits
    private var entries: [String: Entry] = [:]
    // In the order in which they were kept; `first` is the number of the first one.
    private var order: [String] = []
    private var first = 0
    private var bytes = 0
    /// The fetches under way. Each uses a slot of the user who asked first.
    private var fetching: [String: Fetch] = [:]
    private var places: FairQueue<Void>

    init(_ limits: Limits = Limits()) {
        self.limits = limits
        places = FairQueue([limits.fetches, limits.fetchesOfApp, limits.fetchesOfPerson].map { ShareBound($0) })
    }

    var count: Int { entries.count }

    var fetches: Int { fetching.count }

    mutating func ask(_ url: String, for person: ShareOwner, _ waiter: Waiter, now: MonotonicMilliseconds) -> Step {
        if let entry = entries[url], now < entry.until { return .answer(entry.outcome) }
        if fetching[url] != nil {
            fetching[url]?.waiters.append(waiter)
            return .wait
        }
        guard places.begin(person) else { return .answer(.busy) }
        fetching[url] = Fetch(person: person, waiters: [waiter])
        return .fetch
    }

    /// Ends a fetch.
    /// - Returns: the waiters.
    mutating func finish(_ url: String, _ outcome: PreviewOutcome, now: MonotonicMilliseconds) -> [Waiter] {
        guard let fetch = fetching.removeValue(forKey: url) else { preconditionFailure("a fetch ends once") }
        places.finish(fetch.person)
        switch outcome {
        case .preview: keep(url, outcome, until: now + limits.previewMilliseconds)
        case .none: keep(url, outcome, until: now + limits.refusalMilliseconds)
        case .busy: break
        }
        return fetch.waiters
    }

    private mutating func keep(_ url: String, _ outcome: PreviewOutcome, until: MonotonicMilliseconds) {
        drop(url)
        entries[url] = Entry(outcome: outcome, until: until, number: first + order.count)
        order.append(url)
        bytes += Self.size(url, outcome)
        while entries.count > limits.entries || bytes > limits.bytes { dropFirst() }
        // An entry that was stored again is in the order twice.
        if order.count > 2 * limits.entries { tidy() }
    }

    private mutating func dropFirst() {
        let url = order.removeFirst()
        if entries[url]?.number == first { drop(url) }
        first += 1
    }

    private mutating func drop(_ url: String) {
        guard let entry = entries.removeValue(forKey: url) else { return }
        bytes -= Self.size(url, entry.outcome)
    }

    private mutating func tidy() {
        let kept = entries.sorted { $0.value.number < $1.value.number }
        order = kept.map(\.key)
        for (index, (url, entry)) in kept.enumerated() {
            entries[url] = Entry(outcome: entry.outcome, until: entry.until, number: first + index)
        }
    }

    private static func size(_ url: String, _ outcome: PreviewOutcome) -> Int {
        guard case .preview(let preview) = outcome else { return url.utf8.count }
        let texts = [preview.url, preview.siteName, preview.title, preview.description, preview.image]
        return url.utf8.count + texts.reduce(0) { $0 + $1.utf8.count }
    }
}
