internal import Core
internal import HelpDesk
internal import Threading
internal import Time

/// Queries the replicas that share the store for their responses to a user's latest requests, and answers their queries.
final class AuthorizationInquiry: Sendable {
    /// The others poll for queries at the same interval as for revocations, every 0.8 seconds.
    private let rounds: Int
    private static let roundMilliseconds: UInt64 = TimeLimit.milliseconds(50)

    private let recorder: AuthorizationRecorder
    private let state: SnapshotReference<HelpDeskState>
    private let store: any Store
    private let clocks: Clocks

    /// - Parameter rounds: the number of checks for answers of others, twenty per second.
    init(_ recorder: AuthorizationRecorder, _ state: SnapshotReference<HelpDeskState>, store: any Store, clocks: Clocks, rounds: Int = 40) {
        (self.recorder, self.state, self.store, self.clocks, self.rounds) = (recorder, state, store, clocks, rounds)
    }

    /// The knowledge of all replicas about a user; nil for an app that is not configured. Waits two seconds at most for the others.
    func known(appID: String, userID: String) -> KnownAuthorizations? {
        let user = digest(appID, userID)
        guard var known = recorder.known(appID: appID, user: user) else { return nil }
        let (answers, silent) = ask(appID, user)
        for answer in answers { known = known.merged(with: answer) }
        known.silentReplicas = silent
        return known
    }

    /// Forgets a user, and makes the others forget without waiting for them.
    func forget(_ person: AppUser) {
        let user = digest(person.appID, person.userID)
        recorder.forget(appID: person.appID, user: user)
        _ = put(person.appID, user, forgets: true)
    }

    /// Answers the queries of others. Blocks like the store; call it regularly.
    func answer() {
        guard hasOthers else { return }
        for question in (try? store.openQueries()) ?? [] {
            if question.forgets { recorder.forget(appID: question.appID, user: question.user) }
            // A replica without an answer is treated as silent, so a replica that does not have the app stays silent.
            guard let known = recorder.known(appID: question.appID, user: question.user) else { continue }
            let answer = known.moved(byMilliseconds: clockOffset).serialized()
            // This thread also polls for revocations, so a store that hangs delays it only once.
            guard (try? store.answer(question.id, with: answer)) != nil else { return }
        }
    }

    /// The offset of the replicas' shared clock from this machine's, in milliseconds; positive when it is ahead.
    private var clockOffset: Int64 { store.clockOffsetMilliseconds ?? 0 }

    /// Whether others may send queries; a replica that started within the last seconds is not known yet.
    private var hasOthers: Bool { store.replicas.contains { !$0.isOwn && !$0.isDead && $0.keysDigest != nil } }

    private func digest(_ appID: String, _ userID: String) -> KeyedDigest {
        let authorizer = state.current.authorizer
        return authorizer.digest(ofUser: userID.utf8.span, in: authorizer.index(of: appID.utf8.span))
    }

    /// Queries the other replicas.
    /// - Returns: the query and the number of replicas, nil when none could be queried; nil when the store is not shared.
    private func put(_ appID: String, _ user: KeyedDigest, forgets: Bool) -> (id: UUIDv7, asked: Int?)? {
        guard !store.replicas.isEmpty else { return nil }
        var random = SystemRandomNumberGenerator()
        let id = UUIDv7(milliseconds: clocks.unixMilliseconds(), using: &random)
        return (id, try? store.ask(UserQuery(id: id, appID: appID, user: user, forgets: forgets)))
    }

    private func ask(_ appID: String, _ user: KeyedDigest) -> (answers: [KnownAuthorizations], silent: Int) {
        guard let question = put(appID, user, forgets: false) else { return ([], 0) }
        guard let asked = question.asked else { return ([], 1) }
        let pause = Monitor(())
        var answers: [[UInt8]] = []
        for _ in 0..<rounds {
            // Each read of a store that hangs may take seconds.
            guard let received = try? store.answers(to: question.id) else { break }
            answers = received
            if answers.count >= asked { break }
            _ = pause.wait(timeoutMilliseconds: Self.roundMilliseconds) { _ in nil as Void? }
        }
        let offset = clockOffset
        let known = answers.compactMap { KnownAuthorizations(parsing: $0)?.moved(byMilliseconds: -offset) }
        return (known, max(0, asked - known.count))
    }
}
