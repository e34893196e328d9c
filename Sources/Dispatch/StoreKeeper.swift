internal import Core
internal import Observability
internal import Threading

/// What there is of a store.
enum StorePhase: Sendable {
    /// It is not open, and why, once that is known.
    case waiting(StoreError?)
    /// It is open.
    case open(any Store)
    /// It is not wanted any more.
    case closed

    /// Whether nothing has come of opening it yet.
    var isUndecided: Bool {
        if case .waiting(nil) = self { true } else { false }
    }

    fileprivate var isClosed: Bool {
        if case .closed = self { true } else { false }
    }
}

/// The thread that opens a store as soon as that is possible, and anew when the open one says `notOpen` itself.
///
/// It also tells operators what keeps the store from accepting, and when that is over: the store's own threads may hang with the disk.
struct StoreKeeper: Sendable {
    /// Opens the store.
    /// - Parameter isAgain: whether an earlier one had to be given up.
    typealias Opening = @Sendable (_ isAgain: Bool) throws(StoreError) -> any Store

    private static let firstDelayMilliseconds: UInt64 = 250
    private static let longestDelayMilliseconds: UInt64 = 5000
    /// Looking for damage costs much, and what is found rarely mends itself.
    private static let longestDelayOfDamageMilliseconds: UInt64 = 60_000

    private let phase: Monitor<StorePhase>
    private let logger: Logger
    private let lookEveryMilliseconds: UInt64
    private let onOpen: @Sendable (any Store) -> Void
    private let open: Opening

    init(
        _ phase: Monitor<StorePhase>, logger: Logger, lookEveryMilliseconds: UInt64, onOpen: @escaping @Sendable (any Store) -> Void,
        open: @escaping Opening
    ) {
        self.phase = phase
        self.logger = logger
        self.lookEveryMilliseconds = lookEveryMilliseconds
        self.onOpen = onOpen
        self.open = open
    }

    /// Works until the store is not wanted any more.
    func run() {
        var isAgain = false
        while let store = openAtLast(isAgain: isAgain), watch(store) { isAgain = true }
    }

    /// - Returns: nil when it is not wanted any more.
    private func openAtLast(isAgain: Bool) -> (any Store)? {
        var told: StoreError?
        var delay = Self.firstDelayMilliseconds
        while true {
            do throws(StoreError) {
                let store = try open(isAgain)
                onOpen(store)
                guard change(to: .open(store)) else {
                    store.close()
                    return nil
                }
                if isAgain || told != nil { logger.log(.info, "the store is open") }
                return store
            } catch {
                if told != error {
                    logger.log(
                        .error, "the store cannot be opened; authorization is served, everything else is refused until it can",
                        ["reason": .string(error.description)])
                }
                told = error
                guard change(to: .waiting(error)), !waitForEnd(delay) else { return nil }
                delay = min(
                    delay * 2, error.kind == .corrupt ? Self.longestDelayOfDamageMilliseconds : Self.longestDelayMilliseconds)
            }
        }
    }

    /// Tells of what the store refuses, until it must be opened anew.
    /// - Returns: false when it is not wanted any more.
    private func watch(_ store: any Store) -> Bool {
        var told: StoreError?
        while !waitForEnd(lookEveryMilliseconds) {
            // A full queue comes and goes; it has its own metric.
            let refusal = store.refusal.flatMap { $0.kind == .queueFull ? nil : $0 }
            if refusal != told { tell(refusal) }
            told = refusal
            if let refusal, refusal.kind == .notOpen {
                guard change(to: .waiting(refusal)) else { return false }
                store.close()
                return true
            }
        }
        return false
    }

    private func tell(_ refusal: StoreError?) {
        guard let refusal else { return logger.log(.info, "the store accepts again") }
        logger.log(.error, "the store accepts nothing", ["reason": .string(refusal.description)])
    }

    /// - Returns: false when it is not wanted any more.
    private func change(to next: StorePhase) -> Bool {
        phase.update { phase in
            if phase.isClosed { return false }
            phase = next
            return true
        }
    }

    /// - Returns: true when it is not wanted any more.
    private func waitForEnd(_ milliseconds: UInt64) -> Bool {
        phase.wait(timeoutMilliseconds: milliseconds) { $0.isClosed ? true : nil } ?? false
    }
}
