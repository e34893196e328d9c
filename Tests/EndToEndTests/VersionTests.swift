import Testing

/// `deskgate version`
@Suite struct VersionTests {
    @Test(arguments: [["version"], ["--version"], ["-v"]])
    func `the version is printed as a sentence`(_ words: [String]) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 0)
        #expect(result.output.wholeMatch(of: /deskgate \d+\.\d+\.\d+\n/) != nil)
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: ["version", "--version", "-v"])
    func `the version is printed as JSON`(_ word: String) throws {
        let result = try Deskgate.run(word, "--json")
        #expect(result.code == 0)
        #expect(try result.json.keys == ["version"])
        #expect(try Deskgate.run("version").output == "deskgate \(result.json.string("version") ?? "")\n")
    }
}
