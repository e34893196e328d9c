internal import POSIX

/// A secret that a command reads from standard input, where neither the list of processes nor the history of a shell shows it.
struct SecretInput {
    /// What stands for standard input in a command line.
    static let mark = "-"
    /// The end of the help of what may be given so.
    static let help = "; - reads it from standard input"
    private static let limit = 64 << 10

    private var isUsed = false

    /// Reads the one line that standard input holds.
    /// - Parameter place: the option or operand that it is for, as a person writes it.
    /// - Throws: when it holds nothing, more than a line, or was read before.
    mutating func read(for place: String) throws(CommandError) -> String {
        guard !isUsed else { throw .usage("\(place): standard input is taken already; only one secret can come from there") }
        isUsed = true
        let text = try Self.text(for: place)
        let lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
        let isOneLine = lines.count == 1 || lines.count == 2 && lines[1].isEmpty
        var line = lines[0]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard isOneLine, !line.isEmpty else {
            throw .usage("\(place): expected one line on standard input, and not an empty one")
        }
        return String(Substring(line))
    }

    private static func text(for place: String) throws(CommandError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.readStandardInput(limit: limit)
        } catch {
            throw .usage("\(place): cannot read standard input: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(place): standard input is not UTF-8")
        }
        return text
    }
}
