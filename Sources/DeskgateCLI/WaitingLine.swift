internal import POSIX
internal import Threading
internal import Time

/// A line on a terminal's standard error that says every second for how long a command has been at work.
enum WaitingLine {
    /// Runs work; the line is shown from its first second to its end.
    /// - Parameter what: returns the activity, such as `backing up`; called each second, on a thread of its own.
    static func show<Result, Failure: Error>(
        _ what: @escaping @Sendable @autoclosure () -> String, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOver = Monitor(false)
        let thread = Machine.isTerminal(2) ? try? DedicatedThread { draw(what, isOver) } : nil
        defer {
            isOver.update { $0 = true }
            thread?.join()
        }
        return try work()
    }

    private static func draw(_ what: () -> String, _ isOver: Monitor<Bool>) {
        let start = SystemClock.monotonicMilliseconds()
        var isShown = false
        while isOver.wait(timeoutMilliseconds: 1000, { $0 ? true : nil }) == nil {
            write("\(what()): \(SystemClock.monotonicMilliseconds().elapsed(since: start) / 1000) s")
            isShown = true
        }
        if isShown { write("") }
    }

    private static func write(_ text: String) {
        try? File.write(Array("\r\(text)\u{1B}[K".utf8), to: 2)
    }
}
