import Testing

/// For any order of events, attempts, failures, restarts and clock changes, the help desk ends with exactly the registry's tokens.
@Suite struct RelayPropertyTests {
    @Test(arguments: [false, true], 0..<12) func `the help desk ends with the registry's tokens`(inFile: Bool, seed: Int) throws {
        let life = try RelayLife(seed: seed, inFile: inFile)
        defer { life.end() }
        for _ in 0..<60 { try life.step() }
        try life.settle()
        let registered = try life.registered()
        // A call answered 503 may have been accepted.
        #expect(try life.reported { _ in true } == registered)
        #expect(try life.reported { $0 == 200 } == registered)
    }
}
