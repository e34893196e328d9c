internal import Bytes
package import Time

/// The rules of the device registry: computes the changes that an input makes. A store implements the lookups of `RegistryRows` and applies
/// the changes in order, in the same transaction.
package enum RegistryTransition {
    package enum Change: Sendable, Equatable {
        case put(RegistryDevice)
        /// Applies `RegistryDevice.touch` to an existing device.
        case touch(Device.Key, at: UnixMilliseconds, KeyClaims)
        /// Applies `RegistryDevice.signOut` to an existing device.
        case signOut(Device.Key, at: UnixMilliseconds, isReportedByApp: Bool)
        case setEnvironment(Device.Key, String)
        /// Deletes a device, but not the calls that its limits count.
        case forget(Device.Key)
        /// Replaces the calls of the user in the key; `at` is the time of the last call.
        case putUserCalls(Device.Key, CallTimes, at: UnixMilliseconds)
        /// Replaces the calls of a device, independent of the user; `at` is the time of the last call.
        case putDeviceCalls(Device.Key, CallTimes, at: UnixMilliseconds)
        case insertCall(CallSeries, number: Int64, at: UnixMilliseconds)
        case forgetCalls(CallSeries, through: Int64)
        /// Deletes the calls of a device, independent of the user.
        case forgetDeviceCalls(Device.Key)
        case forgetUserCalls(appID: String, userID: String)
        case announce(RegistryChange)
    }

    /// The minimum interval, in milliseconds, between writes of repeated sign-outs or of webhooks about a tombstone; short compared with
    /// the retention.
    private static let noteIntervalMilliseconds: UInt64 = 86_400_000

    /// Registers or unsubscribes a device if no revocation covers it and the limits allow it. Limits do not apply to unsubscribing.
    /// - Parameter devicesPerUser: the maximum number of a user's devices, including tombstones.
    package static func register<Rows: RegistryRows>(
        _ registration: Registration, devicesPerUser: Int, in rows: Rows
    ) throws(Rows.Failure) -> (outcome: Registration.Outcome, changes: [Change]) {
        if let refusal = try Admission.refusal(of: registration, in: rows) { return (refusal, []) }
        guard let token = registration.token else { return try unsubscribe(registration, devicesPerUser, in: rows) }
        let person = try rows.person(appID: registration.key.appID, userID: registration.key.userID)
        switch try RegistrationLimits.evaluate(registration, ofUser: person.calls, in: rows) {
        case .limited(let rule, let until): return (.limited(rule: rule, until: until), [])
        case .allowed(let records):
            let known = person.devices.first { $0.isNamed(registration.key.deviceID) }
            if let known, known.token == token, known.type.hasSameBytes(as: registration.type) {
                return (.unchanged, records + [.touch(registration.key, at: registration.now, registration.claims)])
            }
            let holder = try rows.holder(of: token, appID: registration.key.appID)
            return (.registered, records + put(RegistryDevice(registration), takingFrom: holder, among: person.devices, devicesPerUser))
        }
    }

    /// Registers the device of a token that came with a webhook. The help desk may know an older token, user or sign-in. A webhook
    /// therefore overrides no state that an app has reported for the device, or for the current holder of the token, and removes no device
    /// that an app has reported.
    ///
    /// While webhooks repeat the token of a tombstone, the token does not return to the user, whichever device they name. Another token of
    /// a device that only webhooks report may be a new sign-in and is accepted. No device is stored for a user who is blocked or was
    /// forgotten, or for a time before the bound of a revocation that would cover the device.
    package static func learn<Rows: RegistryRows>(
        _ incoming: IncomingEvent, devicesPerUser: Int, in rows: Rows
    ) throws(Rows.Failure) -> [Change] {
        let event = incoming.event
        guard let token = incoming.token, !event.identity.deviceID.isEmpty else { return [] }
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        let devices = try rows.person(appID: key.appID, userID: key.userID).devices
        let known = devices.first { $0.isNamed(key.deviceID) }
        if let known, known.isReportedByApp || known.digest == token.digest { return keeping(known, at: event.receivedAt) }
        let holder = try rows.holder(of: token, appID: key.appID)
        if let holder, holder.isReportedByApp { return [] }
        // Except when the token has since only moved to another device of the person.
        let isHeldByUser = holder.map { $0.key.userID.hasSameBytes(as: key.userID) } ?? false
        if !isHeldByUser, let tombstone = devices.first(where: { $0.token == nil && $0.digest == token.digest }) {
            return keeping(tombstone, at: event.receivedAt)
        }
        if known == nil, leaving(devices, devicesPerUser, isReportedByApp: false) == nil { return [] }
        // A type that no app could send is ignored.
        let type = event.deviceType.flatMap { $0.utf16.count <= Device.longestType ? $0 : nil } ?? known?.type ?? ""
        let device = RegistryDevice(key, type: type, learning: token, at: event.receivedAt)
        // Comments would not be delivered to it.
        if try rows.revocations(appID: key.appID, userID: key.userID).covers(device) { return [] }
        return put(device, takingFrom: holder, among: devices, devicesPerUser)
    }

    /// Removes devices of a user for an operator. Tombstones remain, and so do the calls that limits count, so that a sign-out allows no
    /// additional registrations. For a forgotten user the rows are deleted with the devices' calls, and together with all devices also the
    /// user's calls.
    /// - Parameters:
    ///   - filter: names the user.
    ///   - limit: the most devices.
    /// - Returns: the number of devices that were registered, and the number of processed rows, which is less than `limit` when none is
    ///   left.
    package static func remove<Rows: RegistryRows>(
        _ filter: DeviceFilter, _ reason: RegistryChange.Reason = .operatorRemoved, now: UnixMilliseconds, limit: Int, in rows: Rows
    ) throws(Rows.Failure) -> (removed: Int, dealtWith: Int, changes: [Change]) {
        guard let userID = filter.userID else { return (0, 0, []) }
        let matching = try rows.person(appID: filter.appID, userID: userID).devices.filter { filter.matches($0.key) }
        guard reason == .forgotten else {
            let devices = matching.filter { $0.token != nil }.prefix(limit)
            return (devices.count, devices.count, devices.flatMap { signingOut($0, reason, at: now) })
        }
        let devices = matching.prefix(limit)
        var changes = devices.flatMap { dropping($0, reason, at: now) + [.forgetDeviceCalls($0.key)] }
        if filter.deviceID == nil { changes.append(.forgetUserCalls(appID: filter.appID, userID: userID)) }
        return (devices.count { $0.token != nil }, devices.count, changes)
    }

    /// Signs out the devices of a user that revocations cover.
    /// - Returns: the number of devices.
    package static func revoke<Rows: RegistryRows>(
        _ revoked: Revocations, of person: AppUser, now: UnixMilliseconds, in rows: Rows
    ) throws(Rows.Failure) -> (removed: Int, changes: [Change]) {
        let covered = try rows.person(appID: person.appID, userID: person.userID).devices.filter { $0.token != nil && revoked.covers($0) }
        return (covered.count, covered.flatMap { signingOut($0, .operatorRemoved, at: now) })
    }

    /// Removes an idle device or deletes a tombstone; the calls that its limits count remain.
    package static func removeIdle(_ device: RegistryDevice, now: UnixMilliseconds) -> [Change] {
        dropping(device, .idle, at: now)
    }

    /// Applies the provider's report about a device, unless the device has another token now.
    /// - Parameter tried: the device at the time of the attempt.
    package static func learn<Rows: RegistryRows>(
        _ update: FinishedAttempt.DeviceUpdate, of tried: Device, now: UnixMilliseconds, in rows: Rows
    ) throws(Rows.Failure) -> [Change] {
        guard let known = try rows.device(tried.key), known.token == tried.token else { return [] }
        switch update {
        case .environment(let name): return [.setEnvironment(tried.key, name)]
        case .gone(let since):
            let wasSeenLater = since.map { known.seenAt >= $0 } ?? (known.seenAt > tried.seenAt)
            return wasSeenLater ? [] : signingOut(known, .gone, at: now)
        }
    }

    private static func unsubscribe<Rows: RegistryRows>(
        _ registration: Registration, _ devicesPerUser: Int, in rows: Rows
    ) throws(Rows.Failure) -> (outcome: Registration.Outcome, changes: [Change]) {
        guard let known = try rows.device(registration.key) else {
            // The tombstone prevents a delayed webhook with the token from restoring it. It is created only if no other device of the
            // person must be removed for it, so that invented names cause few writes.
            let count = try rows.person(appID: registration.key.appID, userID: registration.key.userID).devices.count
            guard count < devicesPerUser else { return (.unchanged, []) }
            return (.unchanged, [.put(RegistryDevice(registration))])
        }
        guard known.token == nil else { return (.removed, signingOut(known, .unsubscribed, at: registration.now)) }
        let isWorthNoting = !known.isReportedByApp || registration.now > known.seenAt + noteIntervalMilliseconds
        return (.unchanged, isWorthNoting ? [.touch(registration.key, at: registration.now, registration.claims)] : [])
    }

    /// Writes a device, signs out the previous holder of its token, removes other devices of the user if there are too many, and announces
    /// all of these changes.
    private static func put(
        _ device: RegistryDevice, takingFrom holder: RegistryDevice?, among devices: [RegistryDevice], _ devicesPerUser: Int
    ) -> [Change] {
        var (changes, devices, time) = ([Change](), devices, device.registeredAt)
        if let holder, holder.key != device.key {
            changes += signingOut(holder, .moved, at: time)
            if let index = devices.firstIndex(where: { $0.key == holder.key }) {
                devices[index].signOut(at: time, isReportedByApp: holder.isReportedByApp)
            }
        }
        if !devices.contains(where: { $0.key == device.key }) {
            for other in leaving(devices, devicesPerUser, isReportedByApp: device.isReportedByApp) ?? [] {
                changes += dropping(other, .tooManyDevices, at: time)
            }
        }
        changes.append(.put(device))
        if let registered = device.device {
            let replaced = devices.first { $0.key == device.key }?.device
            changes.append(.announce(RegistryChange(.registered, registered, replacing: replaced, at: time)))
        }
        return changes
    }

    /// Returns the devices to delete for a new one: tombstones first, then those seen longest ago; nil when there are not enough.
    /// - Parameter isReportedByApp: whether an app has reported the new device; if not, devices that an app has reported are kept.
    private static func leaving(_ devices: [RegistryDevice], _ devicesPerUser: Int, isReportedByApp: Bool) -> ArraySlice<RegistryDevice>? {
        let count = devices.count - devicesPerUser + 1
        guard count > 0 else { return [] }
        let order = devices.enumerated().filter { isReportedByApp || !$0.element.isReportedByApp }.sorted { left, right in
            let (one, other) = (left.element, right.element)
            guard (one.token == nil) == (other.token == nil) else { return one.token == nil }
            return (one.seenAt, left.offset) < (other.seenAt, right.offset)
        }.map(\.element)
        return order.count < count ? nil : order.prefix(count)
    }

    /// Turns a registered device into a tombstone and announces it. A sign-out is the app's own report; a provider's report is not.
    private static func signingOut(_ device: RegistryDevice, _ reason: RegistryChange.Reason, at time: UnixMilliseconds) -> [Change] {
        let isReportedByApp = reason == .unsubscribed || (reason != .gone && device.isReportedByApp)
        return [.signOut(device.key, at: time, isReportedByApp: isReportedByApp)] + announcing(device, reason, at: time)
    }

    /// Extends the retention of a tombstone while webhooks may restore its token; does nothing for a registered device.
    private static func keeping(_ device: RegistryDevice, at time: UnixMilliseconds) -> [Change] {
        guard device.token == nil, time > device.seenAt + noteIntervalMilliseconds else { return [] }
        return [.signOut(device.key, at: time, isReportedByApp: device.isReportedByApp)]
    }

    /// Deletes a device; announces it if it was registered.
    private static func dropping(_ device: RegistryDevice, _ reason: RegistryChange.Reason, at time: UnixMilliseconds) -> [Change] {
        announcing(device, reason, at: time) + [.forget(device.key)]
    }

    private static func announcing(_ device: RegistryDevice, _ reason: RegistryChange.Reason, at time: UnixMilliseconds) -> [Change] {
        device.device.map { [.announce(RegistryChange(.removed(reason), $0, at: time))] } ?? []
    }
}

extension DeliveryPlan {
    /// Returns the devices for a comment: the device that the comment names, or all of its user's devices if that one is unknown; none if
    /// it has signed out. A device whose key was revoked is treated as signed out. Its row is removed together with the revocation of a
    /// user, and step by step after the revocation of a key, a key id or an app.
    package static func candidates<Rows: RegistryRows>(for event: Event, in rows: Rows) throws(Rows.Failure) -> [Candidate] {
        let (appID, userID) = (event.identity.appID, event.userID)
        let devices = try rows.person(appID: appID, userID: userID).devices
        let named = devices.first { $0.isNamed(event.identity.deviceID) }
        let registered = (named.map { [$0] } ?? devices).filter { $0.token != nil }
        guard !registered.isEmpty else { return [] }
        let revocations = try rows.revocations(appID: appID, userID: userID)
        return registered.filter { !revocations.covers($0) }.map { Candidate(deviceID: $0.key.deviceID, type: $0.type) }
    }
}

/// The queries that the registry's rules need within a store's transaction: each is one search without side effects.
package protocol RegistryRows {
    /// `Never` for a store in memory.
    associatedtype Failure: Error

    /// One device, including tombstones.
    func device(_ key: Device.Key) throws(Failure) -> RegistryDevice?

    func person(appID: String, userID: String) throws(Failure) -> RegistryPerson

    /// The registered device of an app that has a token, found by the token's digest.
    func holder(of token: PushToken, appID: String) throws(Failure) -> RegistryDevice?

    /// The recorded calls of a device, independent of the user.
    func calls(ofDevice key: Device.Key) throws(Failure) -> CallTimes

    /// The number of the last recorded call; 0 for none. Always less than `Int64.max`.
    func lastCall(in series: CallSeries) throws(Failure) -> Int64

    /// Nil when there was no such call, or it was deleted.
    func time(ofCall number: Int64, in series: CallSeries) throws(Failure) -> UnixMilliseconds?

    /// The revocations in force. If a concurrent revocation of this user is missing here, it must see the transaction's writes about the
    /// user: a store with several writers locks the user before it reads the revocations, and the revocation's transaction locks the user
    /// after it has written the revocation.
    func revocations(appID: String, userID: String) throws(Failure) -> Revocations
}
