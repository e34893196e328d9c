import Core
import TestSupport
import Testing
import Time

@Suite struct LimitRuleTests {
    private let rule = LimitRule(per: .user, max: 1, windowMilliseconds: 300_000)

    @Test(arguments: [(0, 300_000), (1, 300_000), (299_999, 300_000)] as [(UInt64, UInt64)])
    func `applies during the window`(_ elapsed: UInt64, _ until: UInt64) {
        #expect(rule.allowedAt(earliest: 1_000_000, now: 1_000_000 + elapsed) == UnixMilliseconds(1_000_000 + until))
    }

    @Test func `ends exactly with the window`() {
        #expect(rule.allowedAt(earliest: 1_000_000, now: 1_300_000) == nil)
        #expect(rule.allowedAt(earliest: nil, now: 1_000_000) == nil)
    }

    /// If a clock was set back by more than the tolerance, the calls are discarded. Within it, no caller waits longer than the window and
    /// the tolerance.
    @Test func `discards calls in the future`() {
        let tolerance = LimitRule.clockToleranceMilliseconds
        #expect(rule.allowedAt(earliest: 1_000_000 + tolerance, now: 1_000_000) == UnixMilliseconds(1_300_000 + tolerance))
        #expect(rule.allowedAt(earliest: 1_000_001 + tolerance, now: 1_000_000) == nil)
    }
}
