package import Time

/// What the registry's rules ask of a store in the middle of its transaction: each question is one search, and changes nothing.
package protocol RegistryRows {
    /// Why a store could not answer; `Never` for one in memory.
    associatedtype Failure: Error

    /// One device, tombstones included.
    func device(_ key: Device.Key) throws(Failure) -> RegistryDevice?

    /// All that is known of a person.
    func person(appID: String, userID: String) throws(Failure) -> RegistryPerson

    /// The registered device of an app that has a token, found by the token's digest.
    func holder(of token: PushToken, appID: String) throws(Failure) -> RegistryDevice?

    /// The recorded calls of a device, whoever was signed in there: its person does not count.
    func calls(ofDevice key: Device.Key) throws(Failure) -> CallTimes

    /// The number of the last recorded call; 0 when none is, and never so high that none can follow.
    func lastCall(in series: CallSeries) throws(Failure) -> Int64

    /// When a call came; nil when there was none, or when it has been forgotten.
    func time(ofCall number: Int64, in series: CallSeries) throws(Failure) -> UnixMilliseconds?
}
