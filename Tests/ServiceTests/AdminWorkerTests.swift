import Synchronization
import TestSupport
import Testing
import Threading

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// The thread that asks the store for operators.
@Suite struct AdminWorkerTests {
    @Test func doesJobsInTheirOrderAndRefusesTooMany() {
        let worker = AdminWorker(limit: 2)
        let gate = Monitor((isRunning: false, isOpen: false))
        let done = Monitor<[Int]>([])
        #expect(
            worker.submit {
                gate.update { $0.isRunning = true }
                _ = gate.wait { $0.isOpen ? true : nil }
                done.update { $0.append(0) }
            })
        _ = gate.wait { $0.isRunning ? true : nil }
        #expect(worker.submit { done.update { $0.append(1) } })
        #expect(worker.submit { done.update { $0.append(2) } })
        #expect(!worker.submit { done.update { $0.append(3) } })
        gate.update { $0.isOpen = true }
        worker.stop()
        #expect(done.withLock { $0 } == [0, 1, 2])
        #expect(!worker.submit {})
    }
}
