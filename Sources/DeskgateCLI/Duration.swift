/// Times as people write them on the command line.
enum Duration {
    private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

    /// `90`, `90s`, `15m`, `12h`, `30d` in seconds; `never` is 0, and 0 is for ever, as `ttl_seconds` has it.
    static func seconds(_ text: String, option: String) throws(CommandError) -> UInt64 {
        if text == "never" { return 0 }
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard let number = UInt64(digits), digits.first != "+" else { throw mistake(option) }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { throw mistake(option) }
        return seconds
    }

    private static func mistake(_ option: String) -> CommandError {
        .option(option, "expected a time such as 90s, 15m, 12h or 30d; never or 0 is for ever")
    }
}
