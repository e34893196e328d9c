import Testing

@testable import Observability

struct LoggerTests {
    @Test(arguments: LogLevel.allCases)
    func `writes only lines from the level on`(_ level: LogLevel) throws {
        let output = try captureLog(.text, level: level) { logger in
            for each in LogLevel.allCases { logger.log(each, message: each.name) }
        }
        let expected = LogLevel.allCases.filter { $0 >= level }.map(\.name)
        #expect(lines(Array(output.utf8)).map { String($0.split(separator: " ")[2]) } == expected)
    }

    @Test func `the level changes for all copies`() throws {
        let output = try captureLog(.text, level: .warning) { logger in
            let copy = logger
            copy.log(.info, message: "one")
            logger.setLevel(.info)
            copy.log(.info, message: "two")
            copy.setLevel(.error)
            logger.log(.warning, message: "three")
        }
        #expect(output == "2026-03-10T08:15:12.123Z INFO  two\n")
    }

    @Test func `a disabled level evaluates nothing`() throws {
        var evaluations = 0
        func count() -> Int {
            evaluations += 1
            return evaluations
        }
        let output = try captureLog(.text, level: .warning) { logger in
            logger.log(.info, message: "n\(count())", fields: ["n": .integer(count())])
            logger.log(.warning, message: "n\(count())", fields: ["n": .integer(count())])
        }
        #expect(evaluations == 2)
        #expect(output == "2026-03-10T08:15:12.123Z WARN  n1 n=2\n")
    }
}
