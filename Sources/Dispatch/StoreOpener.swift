internal import Core
internal import Observability
internal import Threading

enum StorePhase: Sendable {
    /// The error of the last attempt to open it; nil before the first has ended.
    case waiting(StoreError?)
    case open(any Store)
    case closed

    var isUndecided: Bool {
        if case .waiting(nil) = self { true } else { false }
    }

    fileprivate var isClosed: Bool {
        if case .closed = self { true } else { false }
    }
}

/// Opens a store on a separate thread, with retries, and opens it again when it reports `notOpen`. Also logs when the store starts and
/// stops rejecting data, because the store's own threads may hang with the disk.
struct StoreOpener: Sendable {
    /// - Parameter isAgain: whether an earlier store was open and reported `notOpen`.
    typealias Opening = @Sendable (_ isAgain: Bool) throws(StoreError) -> any Store

    private static let firstDelayMilliseconds: UInt64 = 250
    private static let longestDelayMilliseconds: UInt64 = 5000
    /// Checking a file for damage is expensive, and damage rarely disappears.
    private static let longestDelayOfDamageMilliseconds: UInt64 = 60_000

    private let phase: Monitor<StorePhase>
    private let logger: Logger
    private let pollIntervalMilliseconds: UInt64
    private let onOpen: @Sendable (any Store) -> Void
    private let open: Opening

    init(
        _ phase: Monitor<StorePhase>, logger: Logger, pollIntervalMilliseconds: UInt64, onOpen: @escaping @Sendable (any Store) -> Void,
        open: @escaping Opening
    ) {
        self.phase = phase
        self.logger = logger
        self.pollIntervalMilliseconds = pollIntervalMilliseconds
        self.onOpen = onOpen
        self.open = open
    }

    /// Returns after `close`.
    func run() {
        var isAgain = false
        while let store = openWithRetries(isAgain: isAgain), watch(store) { isAgain = true }
    }

    /// Retries with backoff until the store is open.
    /// - Returns: nil after `close`.
    private func openWithRetries(isAgain: Bool) -> (any Store)? {
        var logged: StoreError?
        var delay = Self.firstDelayMilliseconds
        while true {
            do throws(StoreError) {
                let store = try open(isAgain)
                onOpen(store)
                guard change(to: .open(store)) else {
                    store.close()
                    return nil
                }
                if isAgain || logged != nil { logger.log(.info, message: "the store is open") }
                return store
            } catch {
                if logged != error {
                    logger.log(
                        .error, message: "the store cannot be opened; requests that need it are answered 503 until it is open",
                        fields: ["reason": .string(error.description)])
                }
                logged = error
                guard change(to: .waiting(error)), !waitForEnd(delay) else { return nil }
                delay = min(
                    delay * 2, error.kind == .corrupt ? Self.longestDelayOfDamageMilliseconds : Self.longestDelayMilliseconds)
            }
        }
    }

    /// Logs changes of the store's error until the store must be reopened.
    /// - Returns: false after `close`.
    private func watch(_ store: any Store) -> Bool {
        var logged: StoreError?
        while !waitForEnd(pollIntervalMilliseconds) {
            // A full queue is not logged, because it is temporary and has a metric.
            let refusal = store.refusal.flatMap { $0.kind == .queueFull ? nil : $0 }
            if refusal != logged { log(refusal) }
            logged = refusal
            if let refusal, refusal.kind == .notOpen {
                guard change(to: .waiting(refusal)) else { return false }
                store.close()
                return true
            }
        }
        return false
    }

    private func log(_ refusal: StoreError?) {
        guard let refusal else { return logger.log(.info, message: "the store accepts data again") }
        logger.log(.error, message: "the store accepts no data", fields: ["reason": .string(refusal.description)])
    }

    /// - Returns: false after `close`.
    private func change(to next: StorePhase) -> Bool {
        phase.update { phase in
            if phase.isClosed { return false }
            phase = next
            return true
        }
    }

    /// - Returns: true after `close`.
    private func waitForEnd(_ milliseconds: UInt64) -> Bool {
        phase.wait(timeoutMilliseconds: milliseconds) { $0.isClosed ? true : nil } ?? false
    }
}
