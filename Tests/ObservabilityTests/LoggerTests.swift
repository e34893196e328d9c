import Testing

@testable import Observability

struct LoggerTests {
    @Test(arguments: LogLevel.allCases)
    func onlyLinesFromTheLevelOnAreWritten(_ level: LogLevel) throws {
        let output = try captureLog(.text, level: level) { logger in
            for each in LogLevel.allCases { logger.log(each, each.name) }
        }
        let expected = LogLevel.allCases.filter { $0 >= level }.map(\.name)
        #expect(lines(Array(output.utf8)).map { String($0.split(separator: " ")[2]) } == expected)
    }

    @Test func theLevelChangesForAllCopies() throws {
        let output = try captureLog(.text, level: .warning) { logger in
            let copy = logger
            copy.log(.info, "one")
            logger.setLevel(.info)
            copy.log(.info, "two")
            copy.setLevel(.error)
            logger.log(.warning, "three")
        }
        #expect(output == "2026-03-10T08:15:12.123Z INFO  two\n")
    }

    @Test func aDisabledLevelEvaluatesNothing() throws {
        var evaluations = 0
        func count() -> Int {
            evaluations += 1
            return evaluations
        }
        let output = try captureLog(.text, level: .warning) { logger in
            logger.log(.info, "n\(count())", ["n": .integer(count())])
            logger.log(.warning, "n\(count())", ["n": .integer(count())])
        }
        #expect(evaluations == 2)
        #expect(output == "2026-03-10T08:15:12.123Z WARN  n1 n=2\n")
    }
}
