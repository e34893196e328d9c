internal import Time

/// What a log line says, before it has a form.
struct LogLine {
    /// Unix milliseconds.
    let time: UInt64
    let level: LogLevel
    let message: String
    let fields: LogFields

    /// The line's bytes: exactly one line feed, at the end, whatever the message and the fields hold.
    func bytes(_ format: LogFormat) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        switch format {
        case .json: JSONLogText.append(self, to: &output)
        case .text: PlainLogText.append(self, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
        return output
    }
}
