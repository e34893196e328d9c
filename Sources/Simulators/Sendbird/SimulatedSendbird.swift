internal import Threading

package struct SimulatedSendbirdSettings: Sendable {
    /// The simulated Chat replaces `hasUser` and `displayName`.
    package var desk = SimulatedDeskSettings()
    package var chat = SimulatedChatSettings()

    package init() {}
}

/// A simulated Sendbird: a connected Desk and Chat, with one fault script.
///
/// A customer of Desk must be a user of Chat, a ticket of Desk is a channel of Chat, and the customer's messages there make the ticket
/// visible to support. The owner must call `stop` before releasing it.
package final class SimulatedSendbird: Sendable {
    package let desk: SimulatedDesk
    package let chat: SimulatedChat
    package let faults: FaultScript

    /// - Throws: when a port is in use, or a URL for webhooks is invalid.
    package init(
        _ settings: SimulatedSendbirdSettings = SimulatedSendbirdSettings(), faults: FaultScript = FaultScript()
    ) throws(SimulatorSet.Failure) {
        let records = Monitor(ChatRecords())
        var deskSettings = settings.desk
        deskSettings.hasUser = { id in records.withLock { $0.user(id) } != nil }
        deskSettings.displayName = { id in
            let nickname = records.withLock { $0.user(id) }?.nickname ?? ""
            return nickname.isEmpty ? id : nickname
        }
        let desk = try SimulatedDesk(deskSettings, faults: faults)
        do throws(SimulatorSet.Failure) {
            chat = try SimulatedChat(settings.chat, records: records, desk: desk, faults: faults)
        } catch {
            desk.stop()
            throw error
        }
        self.desk = desk
        self.faults = faults
    }

    /// Stops Chat and Desk. Call it once.
    package func stop() {
        chat.stop()
        desk.stop()
    }
}
