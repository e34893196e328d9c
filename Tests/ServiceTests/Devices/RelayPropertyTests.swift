import Testing

/// Whatever the order of events, tries, failures, restarts and clocks, the help desk ends up with the tokens that the registry has, and no others.
@Suite struct RelayPropertyTests {
    @Test(arguments: [false, true], 0..<12) func `the help desk ends up with the registry`(inFile: Bool, seed: Int) throws {
        let life = try RelayLife(seed: seed, inFile: inFile)
        defer { life.end() }
        for _ in 0..<60 { try life.step() }
        try life.settle()
        let registered = try life.registered()
        // What was answered 503 may have been taken all the same.
        #expect(try life.reported { _ in true } == registered)
        #expect(try life.reported { $0 == 200 } == registered)
    }
}
