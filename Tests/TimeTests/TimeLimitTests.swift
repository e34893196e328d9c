import Glibc
import Testing
import Time

/// Tests run in debug builds, so their time limits depend on `DESKGATE_TIME_LIMIT_FACTOR`.
@Suite struct TimeLimitTests {
    private static let numbers: [(text: String?, number: UInt64?)] = [
        (nil, 1), ("1", 1), ("5", 5), ("100", 100), ("0", nil), ("101", nil), ("-1", nil), ("1.5", nil), (" 5", nil), ("", nil),
    ]

    @Test(arguments: numbers) func `the factor is a whole number from 1 to 100`(text: String?, number: UInt64?) {
        #expect(TimeLimit.number(in: text) == number)
    }

    @Test func `a debug build multiplies a limit by the factor`() async {
        await #expect(processExitsWith: .success) {
            let isSet = unsafe setenv("DESKGATE_TIME_LIMIT_FACTOR", "7", 1) == 0
            #expect(isSet)
            #expect(TimeLimit.milliseconds(900 as UInt64) == 6300)
            #expect(TimeLimit.milliseconds(900 as Int) == 6300)
        }
    }

    @Test func `an invalid factor ends the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = unsafe setenv("DESKGATE_TIME_LIMIT_FACTOR", "five", 1)
            _ = TimeLimit.milliseconds(900 as UInt64)
        }
    }
}
