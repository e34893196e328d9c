import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct NotifierLogTests {
    /// The lines with a message, without their time.
    private func lines(_ fixture: DeliveryFixture, _ message: String) -> [String] {
        ((try? fixture.log.lines()) ?? []).filter { $0.contains(message) }
    }

    @Test func `an outage causes three lines for any number of deliveries`() throws {
        let notifier = DeliveryNotifier(.busy, concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        #expect(fixture.state(of: "a") == ["working"])
        fixture.accept(1)
        #expect(fixture.waitForReason("busy", of: 1))
        #expect(eventually { fixture.state(of: "a") == ["failing"] })
        for number in 2...40 { fixture.accept(number) }
        #expect(eventually { fixture.state(of: "a") == ["open"] })
        notifier.answer(nil)
        fixture.advance(700_000)
        #expect(notifier.waitForTries(11))
        #expect(eventually { fixture.state(of: "a") == ["half_open"] })
        notifier.answer(.arrived)
        notifier.end(.arrived)
        for number in 1...40 { #expect(fixture.waitForState(.delivered, of: number)) }
        #expect(eventually { fixture.state(of: "a") == ["working"] })
        #expect(lines(fixture, "a notifier fails").count == 1)
        #expect(lines(fixture, "a notifier fails").allSatisfy { $0.contains("notifier=a") && $0.contains("reason=busy") })
        #expect(lines(fixture, "a notifier keeps failing").count == 1)
        #expect(lines(fixture, "a notifier works again").count == 1)
        #expect(lines(fixture, "a notifier works again").allSatisfy { $0.contains("failures=10") })
    }

    @Test(arguments: ["a notifier fails", "a notifier keeps failing"])
    func `the line of a failing notifier has the remedy of its reason`(_ message: String) throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.arrived)])
        fixture.reload(["a": ServedNotifier(DeliveryNotifier(.busy, concurrency: 1), remedyWhileFailing: { "mend what is \($0)" })])
        // Until it is closed, the replaced notifier may still get the next delivery.
        #expect(eventually { fixture.isClosed("a") })
        for number in 1...10 { fixture.accept(number) }
        #expect(eventually { lines(fixture, message).count == 1 })
        #expect(lines(fixture, message).allSatisfy { $0.contains(#"remedy="mend what is busy""#) })
    }

    @Test func `a notifier that fails occasionally is logged once a minute`() throws {
        let notifier = DeliveryNotifier(.busy, concurrency: 1)
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...20 {
            notifier.answer(number.isMultiple(of: 2) ? .arrived : .busy)
            fixture.accept(number)
            #expect(fixture.waitForReason(number.isMultiple(of: 2) ? "arrived" : "busy", of: number))
        }
        #expect(lines(fixture, "a notifier fails").count == 1)
        #expect(lines(fixture, "a notifier works again").count == 1)
    }

    @Test func `deliveries that end without arriving are logged once a minute with their reasons`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(DeliveryOutcome(.dead, reason: "too_large"), concurrency: 1)])
        fixture.accept(1)
        #expect(eventually { lines(fixture, "ended without arriving").count == 1 })
        for number in 2...9 { fixture.accept(number) }
        for number in 2...9 { #expect(fixture.waitForState(.dead, of: number)) }
        fixture.accept(10, lifetimeMilliseconds: 0)
        #expect(fixture.waitForState(.dead, of: 10))
        #expect(fixture.settle(100))
        #expect(lines(fixture, "ended without arriving").count == 1)
        fixture.advance(60_000)
        #expect(eventually { lines(fixture, "ended without arriving").count == 2 })
        #expect(lines(fixture, "ended without arriving")[1].contains(#"notifier=a count=9 reasons="expired 1, too_large 8""#))
    }

    @Test func `the rest is logged at the end`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.deviceGone)])
        for number in 1...3 {
            fixture.accept(number)
            #expect(fixture.waitForState(.dead, of: number))
        }
        fixture.stop()
        let counts = lines(fixture, "does not know their devices any more").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("count=") }.flatMap { Int($0.dropFirst(6)) }
        }
        #expect(counts.reduce(0, +) == 3)
        let attempts = lines(fixture, "delivery attempt notifier=a ")
        #expect(attempts.count == 3, "at level debug")
        #expect(lines(fixture, "unregistered").count == counts.count + attempts.count)
    }

    @Test func `an unreachable device type is reported until the notifier changes`() throws {
        let outcome = DeliveryOutcome(.dead, reason: "misconfigured_for_device_type", settingsFault: .ofDeviceType)
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(outcome)])
        for number in 1...3 {
            fixture.accept(number)
            #expect(fixture.waitForState(.dead, of: number))
            fixture.advance(60_000)
        }
        #expect(lines(fixture, "cannot reach one type of device").count == 1)
        fixture.reload(["a": ServedNotifier(DeliveryNotifier(outcome))])
        // Until it is closed, the replaced notifier may still get the next delivery.
        #expect(eventually { fixture.isClosed("a") })
        fixture.accept(4)
        #expect(fixture.waitForState(.dead, of: 4))
        #expect(eventually { lines(fixture, "cannot reach one type of device").count == 2 })
        #expect(lines(fixture, "ended without arriving").isEmpty)
        #expect(fixture.state(of: "a") == ["working"])
    }
}
