package import Configuration
package import Core
internal import Crypto
internal import HTTPServer
internal import POSIX
package import Time

/// Runs admin actions from outside the service: through its admin listener while it runs, otherwise directly on its store.
///
/// Only one process can have the store open, so the listener is asked first.
package struct AdminAccess {
    /// Why an action could not be run.
    package struct Failure: Error, CustomStringConvertible {
        /// One line for a person: the cause and the remedy.
        package let description: String
    }

    private let configuration: Configuration
    private let clocks: Clocks
    private let openStore: () throws(StoreError) -> any Store

    /// Prepares access to the service of a configuration.
    /// - Parameter openStore: opens the store when no service runs; it is closed here.
    package init(_ configuration: Configuration, clocks: Clocks, openStore: @escaping () throws(StoreError) -> any Store) {
        self.configuration = configuration
        self.clocks = clocks
        self.openStore = openStore
    }

    /// Runs an action, and blocks until it is done.
    /// - Parameter remark: called with a line for a person when another process holds the listener's address and the store was opened
    ///   instead.
    package func perform(_ action: some AdminAction, remark: (String) -> Void = { _ in }) throws(Failure) -> AdminAnswer {
        var (stranger, doubt): (String?, String?)
        if let token = configuration.admin.token {
            switch try AdminCall(configuration.admin, token: token)?.perform(action) {
            case .answered(let answer): return answer
            case .stranger(let text): (stranger, doubt) = (text, text)
            case .nobody, nil: break
            }
        } else {
            doubt = "a service that runs is asked with the admin token, and none is configured; set admin.token"
        }
        do throws(StoreError) {
            let answer = try performOnStore(action)
            if let stranger { remark(stranger) }
            return answer
        } catch {
            throw Failure(description: error.description + (doubt.map { "; \($0)" } ?? ""))
        }
    }

    private func performOnStore(_ action: some AdminAction) throws(StoreError) -> AdminAnswer {
        let store = try openStore()
        defer { store.close() }
        let state = OperatorState(
            configuration, authorizer: try authorizer(), registryAudience: AppSubscriptions(configuration).registry)
        // No metrics count these deliveries while no service runs.
        let context = AdminContext(
            store: store, now: clocks.unixMilliseconds(), state: state, holds: nil, author: "command", onGivenUp: { _, _ in },
            onRevocation: { _ in })
        return try action.perform(in: context)
    }

    private func authorizer() throws(StoreError) -> Authorizer {
        do throws(CryptoError) {
            return try configuration.makeAuthorizer()
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }
}
