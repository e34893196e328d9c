internal import Threading

package struct SimulatedSendbirdSettings: Sendable {
    /// Desk's. Whom Chat knows, the simulated Chat decides.
    package var desk = SimulatedDeskSettings()
    package var chat = SimulatedChatSettings()

    /// The usual settings, with tokens of its own.
    package init() {}
}

/// A simulated Sendbird: a Desk and a Chat that know of each other, with one fault script.
///
/// A customer of Desk must be a user of Chat, a ticket of Desk is a channel of Chat, and what the customer writes there shows the ticket to
/// support. The owner must call `stop` before it releases it.
package final class SimulatedSendbird: Sendable {
    package let desk: SimulatedDesk
    package let chat: SimulatedChat
    package let faults: FaultScript

    /// Starts both.
    /// - Throws: when a port is in use, or an address for webhooks is none.
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

    /// Stops both; call it once.
    package func stop() {
        chat.stop()
        desk.stop()
    }
}
