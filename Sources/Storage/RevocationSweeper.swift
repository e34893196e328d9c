internal import Core
internal import Threading
internal import Time

/// A store that signs out the devices of a key, a key id or an app in steps: there may be a million devices, and an index of them would
/// slow down registrations.
protocol RevocationSweeper {
    var settings: StoreSettings { get }
    /// The device after which each search continues. It is empty in another process, which starts over and finds fewer devices.
    var sweepPositions: Monitor<[UUIDv7: Device.Key]> { get }

    /// The oldest revocation with devices that were not checked; nil when there is none.
    func unsweptRevocation() throws(StoreError) -> Revocation?

    /// The devices that a revocation may cover after a given device: at most as many as one commit changes, among as many rows of the app
    /// as a step reads; none once the revocation was removed. Does not wait for writers, and delays neither metrics nor the poller of
    /// revocations.
    /// - Returns: the devices, and the one after which the search continues; nil when there are no more.
    func devices(coveredBy revocation: Revocation, after: Device.Key?) throws(StoreError) -> (found: [Device.Key], next: Device.Key?)

    /// Signs out those devices of persons that a revocation covers, and counts them with the revocation, in one transaction.
    /// - Returns: the number of signed-out devices.
    func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int

    /// Records that all devices that a revocation may cover were checked.
    func finishSweep(of revocation: UUIDv7) throws(StoreError)
}

extension RevocationSweeper {
    package func signOutDevices(
        coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        guard !revocation.namesPerson else { return 0 }
        let end = SystemClock.monotonicMilliseconds() + settings.sweepMilliseconds
        return try sweep(revocation, now: now, audience: audience) { SystemClock.monotonicMilliseconds() < end }
    }

    package func signOutRevokedDevices(now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int? {
        guard let revocation = try unsweptRevocation() else {
            // Another process has finished these, or they were removed.
            sweepPositions.withLock { $0 = [:] }
            return nil
        }
        // A revocation with a person was stored by an earlier version.
        guard !revocation.namesPerson else {
            let count = try signOut(revocation.person.map { [$0] } ?? [], coveredBy: revocation, now: now, telling: audience)
            try finishSweep(of: revocation.id)
            return count
        }
        return try sweep(revocation, now: now, audience: audience) { false }
    }

    private func sweep(
        _ revocation: Revocation, now: UnixMilliseconds, audience: RegistryAudience, while hasTime: () -> Bool
    ) throws(StoreError) -> Int {
        var count = 0
        repeat {
            let step = try devices(coveredBy: revocation, after: sweepPositions.withLock { $0[revocation.id] })
            if !step.found.isEmpty {
                count += try signOut(Self.persons(of: step.found), coveredBy: revocation, now: now, telling: audience)
            }
            // A key belongs to one person, all of whose devices were checked now.
            let next = revocation.isOfOneKey && !step.found.isEmpty ? nil : step.next
            sweepPositions.withLock { $0[revocation.id] = next }
            guard next != nil else {
                try finishSweep(of: revocation.id)
                return count
            }
        } while hasTime()
        return count
    }

    private static func persons(of devices: [Device.Key]) -> [AppUser] {
        var users: Set<ByteKey> = []
        return devices.filter { users.insert(ByteKey($0.userID)).inserted }.map { AppUser(appID: $0.appID, userID: $0.userID) }
    }
}
