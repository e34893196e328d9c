package import Configuration
package import Core
internal import Crypto
internal import HTTPServer
internal import POSIX
package import Time

/// Runs admin actions from outside the service: through its admin listener while it runs, otherwise directly on its store.
///
/// Only one process can have the store open, so the listener is tried first.
package struct AdminAccess {
    package struct Failure: Error, CustomStringConvertible {
        /// One line for a person: the cause and the remedy.
        package let description: String
        /// The same without a remedy that is given separately.
        package let cause: String
        /// Whether this user may not open the listener's socket.
        let isForbidden: Bool

        init(description: String, remedy: String? = nil, isForbidden: Bool = false) {
            (cause, self.isForbidden) = (description, isForbidden)
            self.description = remedy.map { "\(description); \($0)" } ?? description
        }
    }

    private let admin: Configuration.Admin
    private let author: String?
    /// Nil when only the running service is called.
    private let ownStore: OwnStore?
    /// The command that starts the service; nil when unknown.
    private let start: () -> String?
    private let conflict: () -> StoreError?

    /// Prepares access to the service of a configuration.
    /// - Parameters:
    ///   - author: the author of changes, a `PlainName`; nil for a command that changes nothing.
    ///   - start: the command that starts the service; nil when unknown.
    ///   - conflict: the error of opening the store while another process uses it; nil when none does.
    ///   - withStore: opens the store when no service runs, runs an action on it, and closes it.
    ///   - aroundChange: called with that store and an action that changes it, which it runs.
    package init(
        _ configuration: Configuration, clocks: Clocks, author: String? = nil, start: @escaping () -> String?,
        conflict: @escaping () -> StoreError?,
        withStore: @escaping ((any Store) throws(StoreError) -> AdminAnswer) throws(StoreError) -> AdminAnswer,
        aroundChange: @escaping (any Store, () throws(StoreError) -> AdminAnswer) throws(StoreError) -> AdminAnswer = {
            _, change throws(StoreError) in try change()
        }
    ) {
        admin = configuration.admin
        self.author = author
        (self.start, self.conflict) = (start, conflict)
        ownStore = OwnStore(
            configuration: configuration, clocks: clocks, author: author, withStore: withStore, aroundChange: aroundChange)
    }

    /// Prepares access to a running service alone, whose configuration file has mistakes outside of `admin`.
    /// - Parameter author: the author of changes, a `PlainName`; nil for a command that changes nothing.
    package init(serviceAt admin: Configuration.Admin, author: String? = nil) {
        self.admin = admin
        self.author = author
        (start, conflict) = ({ nil }, { nil })
        ownStore = nil
    }

    /// Runs an action, and blocks until it is done.
    /// - Parameter remark: called with a line for a person if the store was opened although another process occupies the listener's
    ///   address, or although no token has a sufficient role.
    package func perform(_ action: some AdminAction, remark: (String) -> Void = { _ in }) throws(Failure) -> AdminAnswer {
        guard let ownStore else { return try performInService(action) }
        var doubt: String?
        switch try call(action) {
        case .answered(let answer): return answer
        case .stranger(let text): doubt = text
        case .nobody: break
        }
        do throws(StoreError) {
            let answer = try ownStore.perform(action)
            // Without any token, a call of the service is not expected.
            if let doubt, !admin.tokens.isEmpty { remark(doubt) }
            return answer
        } catch {
            // A service that could not be called may have the store open, and must not be stopped for a command.
            throw Failure(description: doubt.map { "\($0); \(error.isForOwner ? error.cause : error.description)" } ?? unserved(error))
        }
    }

    /// Runs an action in the running service, and never on the store.
    /// - Throws: also when no service answers.
    package func performInService(_ action: some AdminAction) throws(Failure) -> AdminAnswer {
        switch try call(action) {
        case .answered(let answer): return answer
        case .stranger(let text): throw Failure(description: text)
        case .nobody:
            if let conflict = conflict() { throw Failure(description: elsewhere(conflict)) }
            throw Failure(
                description: "no service answers at \(admin.listener.address), where the configuration has its admin listener",
                remedy: "start it, or name the configuration that it was started with")
        }
    }

    /// The error when no service answers and the store cannot be used either.
    private func unserved(_ error: StoreError) -> String {
        guard error.isForOwner else {
            let isShared = ownStore?.configuration.store.isShared == true
            let absence = isShared ? "no service runs on this host" : "the service does not run"
            // The service can start without its store, so the store need not be repaired first.
            let start = start().map { "; start \(isShared ? "one" : "it"): \($0)" } ?? ""
            return "\(absence)\(start). Its store cannot be used: \(error)"
        }
        return elsewhere(error)
    }

    /// A process that has the store open is the service with other addresses in force, and must not be stopped for a command.
    private func elsewhere(_ conflict: StoreError) -> String {
        "\(conflict.cause), and nothing answers at \(admin.listener.address), where this configuration has the admin listener; name the "
            + "configuration that the service was started with (--config), or restart it to take this one over"
    }

    private func call(_ action: some AdminAction) throws(Failure) -> AdminCall.Outcome {
        let tokens = admin.tokens(for: action.role)
        guard !tokens.isEmpty else { return .stranger(lack(of: action.role)) }
        return try AdminCall(admin, tokens: tokens, author: author)?.perform(action) ?? .nobody
    }

    private func lack(of role: AdminToken.Role) -> String {
        guard !admin.tokens.isEmpty else {
            return "a running service is called with the admin token, and none is configured; set admin.token"
        }
        return "a running service is called with an admin token of the role \(role.rawValue), and none is configured; "
            + "add one to admin.tokens, or set admin.token"
    }
}

/// The store of a configuration whose service does not run.
private struct OwnStore {
    let configuration: Configuration
    let clocks: Clocks
    let author: String?
    let withStore: ((any Store) throws(StoreError) -> AdminAnswer) throws(StoreError) -> AdminAnswer
    let aroundChange: (any Store, () throws(StoreError) -> AdminAnswer) throws(StoreError) -> AdminAnswer

    /// Opens the store, runs an action on it, and closes it.
    func perform(_ action: some AdminAction) throws(StoreError) -> AdminAnswer {
        try withStore { store throws(StoreError) in try perform(action, on: store) }
    }

    private func perform(_ action: some AdminAction, on store: any Store) throws(StoreError) -> AdminAnswer {
        let state = OperatorState(
            configuration, authorizer: try authorizer(), registryAudience: AppSubscriptions(configuration).registry)
        // No metrics count these deliveries while no service runs.
        let context = AdminContext(
            store: store, now: clocks.unixMilliseconds(), state: state, holds: nil, author: author.map { "command (\($0))" } ?? "command",
            onGivenUp: { _, _, _ in }, onRevocation: { _ in }, tickets: { _ in nil }, sessions: { _, _ in nil },
            authorizations: { _, _ in nil }, onForget: { _ in }, backend: { _ in nil }, problems: { nil },
            trials: nil,
            revocations: { () throws(StoreError) in try store.revocationSet().snapshot })
        guard action.change != nil else { return try action.perform(in: context) }
        return try aroundChange(store) { () throws(StoreError) in try action.perform(in: context) }
    }

    private func authorizer() throws(StoreError) -> Authorizer {
        do throws(CryptoError) {
            return try configuration.makeAuthorizer()
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }
}
