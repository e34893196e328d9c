package import Core
package import Crypto
package import HTTPServer
package import Threading

package enum StartError: Error, CustomStringConvertible {
    case listener(ServerError)
    case crypto(CryptoError)
    /// The thread that opens the store could not be started.
    case store(StoreError)
    /// The thread that exports traces could not be started.
    case traces(ThreadError)
    case notifiers(String)

    package var description: String {
        switch self {
        case .listener(let error): error.description
        case .crypto(let error): error.description
        case .store(let error): error.description
        case .traces(let error): error.description
        case .notifiers(let reason): "cannot start the notifiers: \(reason)"
        }
    }

    /// The same when another process had the store open before. If it also has the address, it is the service, which must not be stopped.
    package func description(beside conflict: StoreError?) -> String {
        guard let conflict, case .listener(let error) = self, error.kind == .addressInUse else { return description }
        return "the service runs already: \(conflict.cause); keep it, and check it with deskgate status"
    }
}
