import Testing

@testable import Storage

@Suite struct CheckpointPlanTests {
    private var plan = CheckpointPlan(minimumPages: 16_000)

    /// Begins a pass with a log that is long enough.
    private mutating func begin() {
        #expect(plan.step(logged: 16_010) == .pass)
    }

    @Test mutating func `ignores a short log`() {
        for logged in [0, 1, 15_999] { #expect(plan.step(logged: logged) == .nothing) }
        #expect(plan.step(logged: 16_000) == .pass)
    }

    @Test mutating func `leaves the last pages to the writer`() {
        begin()
        #expect(plan.step(moved: 16_010, logged: 20_000) == .pass)
        #expect(plan.step(moved: 20_000, logged: 21_000) == .pass)
        #expect(plan.step(moved: 21_000, logged: 21_500) == .finish)
        plan.finished(logged: 21_500, isEmpty: true)
        #expect(plan.step(logged: 15_999) == .nothing)
        begin()
    }

    /// When no page is left to move, a commit could restart the log at the moment when a pass begins.
    @Test mutating func `begins no pass when all pages are moved`() {
        begin()
        #expect(plan.step(moved: 16_010, logged: 16_010) == .finish)
    }

    @Test mutating func `detects a restarted log`() {
        begin()
        #expect(plan.step(moved: 16_010, logged: 12) == .nothing)
        #expect(plan.step(logged: 15_999) == .nothing)
        begin()
    }

    @Test mutating func `does not run after commits that write as fast`() {
        begin()
        for pass in 1...5 { #expect(plan.step(moved: pass * 16_000, logged: (pass + 1) * 16_000) == .pass) }
        #expect(plan.step(moved: 96_000, logged: 112_000) == .nothing)
        #expect(plan.step(logged: 115_999) == .nothing)
        #expect(plan.step(logged: 116_000) == .pass)
    }

    @Test mutating func `waits while a reader uses the beginning of the log`() {
        begin()
        #expect(plan.step(moved: 16_010, logged: 18_000) == .pass)
        #expect(plan.step(moved: 16_010, logged: 19_000) == .nothing, "nothing was moved")
        #expect(plan.step(logged: 22_999) == .nothing)
        #expect(plan.step(logged: 23_000) == .pass)
    }

    @Test mutating func `waits while the log cannot be restarted`() {
        begin()
        #expect(plan.step(moved: 16_010, logged: 16_020) == .finish)
        plan.finished(logged: 16_020, isEmpty: false)
        #expect(plan.step(logged: 20_019) == .nothing)
        #expect(plan.step(logged: 20_020) == .pass)
    }

    @Test mutating func `waits after a pass that moved nothing`() {
        begin()
        #expect(plan.step(moved: 0, logged: 17_000) == .nothing)
        #expect(plan.step(logged: 20_999) == .nothing)
        #expect(plan.step(logged: 21_000) == .pass)
    }
}
