import TestSupport
import Testing
import Threading

@Suite struct TestOutputTests {
    @Test func `the output is saved under the name of the test`() {
        #expect(TestOutput.current.name == "EndToEndTests.TestOutputTests.`the output is saved under the name of the test`()")
    }

    @Test(arguments: [1, 2]) func `all cases share one directory`(_ number: Int) {
        #expect(TestOutput.current.name == "EndToEndTests.TestOutputTests.`all cases share one directory`(_:)")
    }

    @Test func `the output of another thread belongs to no test`() {
        let name = Monitor("")
        startThread { name.update { $0 = TestOutput.current.name } }.join()
        #expect(name.withLock { $0 } == "other")
    }
}
