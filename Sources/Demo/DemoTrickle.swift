internal import Simulators
internal import Threading

/// Generates the demonstration's traffic on its own thread: people chat, support replies, and some deliveries fail.
///
/// The owner must call `stop` before releasing it.
final class DemoTrickle: Sendable {
    private static let tickMilliseconds: UInt64 = 250

    private let isOver = Monitor(false)
    private let thread: DedicatedThread

    /// Starts the thread. Throws when it cannot be started.
    init(_ day: DemoDay) throws(ThreadError) {
        thread = try DedicatedThread { [isOver] in
            var day = day
            while isOver.wait(timeoutMilliseconds: Self.tickMilliseconds, { $0 ? true : nil }) == nil { day.tick() }
        }
    }

    /// Ends the thread after the running request.
    func stop() {
        isOver.update { $0 = true }
        thread.join()
    }
}

struct DemoDay: Sendable {
    /// The maximum number of pending faults, so that they do not accumulate while an operator has paused a provider.
    private static let maximumFaults = 16
    /// Half of the period, in ticks, in which the number of chatting people rises and falls.
    private static let wave = 160

    let caller: DemoCaller
    let simulators: SimulatorSet
    private var market: DemoMarket
    let keys: [String: String]
    private var ticks = 0
    private var comments: Int64 = 8001

    init(_ caller: DemoCaller, simulators: SimulatorSet, market: DemoMarket, keys: [String: String]) {
        self.caller = caller
        self.simulators = simulators
        self.market = market
        self.keys = keys
    }

    /// A quarter of a second.
    mutating func tick() {
        ticks += 1
        let height = abs(ticks % (2 * Self.wave) - Self.wave)
        for _ in 0..<(1 + 3 * height / Self.wave) { chat() }
        market.tick(ticks)
        if ticks % 12 == 0 { reply() }
        if ticks % 40 == 0 { register() }
        if ticks % 120 == 0 { fail() }
        if ticks % 240 == 0 { replyToThosePaused() }
    }

    private func chat() {
        switch Int.random(in: 0..<100) {
        case 0..<5: ask(.shop, DemoPeople.expired.user)
        case 5..<8: ask(.shop, DemoPeople.blocked.user)
        case 8..<10: ask(.shop, DemoPeople.stranger.user)
        case 10: ask(.shop, DemoPeople.signedOut.user)
        case 11: ask(.shop, DemoPeople.revoked.user)
        case 12: ask(.shop, "")
        case 13..<16: ask(.tablets, DemoPeople.tablet)
        case 16..<26: ask(.couriers, Self.any(DemoPeople.couriers).user)
        default:
            let phone = Self.any(DemoPeople.well)
            ask(phone.app, phone.user)
        }
    }

    private func ask(_ app: DemoApp, _ user: String) {
        _ = try? caller.authorize(app, user: user, key: keys[user] ?? "no key")
    }

    private mutating func reply() {
        let place = Int(comments) % DemoPeople.well.count
        let phone = DemoPeople.well[place]
        var comment = DemoComment(
            app: phone.app, user: phone.user, ticket: 4001 + Int64(place), comment: comments, text: .number(comments), device: phone)
        // Webhooks about the person's own comments arrive too, and some webhooks arrive twice.
        comment.isInbound = comments % 9 == 0
        let times = comments % 7 == 0 ? 2 : 1
        for _ in 0..<times { _ = try? caller.post(comment) }
        comments += 1
    }

    /// Sends replies to the users whose notifiers are paused.
    private mutating func replyToThosePaused() {
        let phone = Self.any(DemoPeople.couriers)
        for (app, user, device) in [(DemoApp.couriers, phone.user, phone), (.tablets, DemoPeople.tablet, nil)] {
            _ = try? caller.post(
                DemoComment(app: app, user: user, ticket: 4031, comment: comments, text: .number(comments), device: device))
            comments += 1
        }
    }

    /// Simulates an app that starts on a phone and registers it again.
    private func register() {
        let phone = Self.any(DemoPeople.well)
        _ = try? caller.register(phone, keys[phone.user] ?? "")
    }

    /// Makes the next push fail, usually temporarily, sometimes permanently. FCM's never fail permanently, because the guide suggests to
    /// retry its dead deliveries.
    private func fail() {
        guard simulators.faults.remaining < Self.maximumFaults else { return }
        let isForGood = ticks % 480 == 0
        simulators.faults.add(
            isForGood
                ? Fault(.answer(Fault.Answer(400, "INVALID_ARGUMENT")), at: .rustore)
                : Fault(.answer(Fault.Answer(503, "UNAVAILABLE", retryAfter: "15")), at: .fcm))
    }

    private static func any<Element>(_ all: [Element]) -> Element { all[Int.random(in: all.indices)] }
}
