import POSIX
import TestSupport
import Testing

/// README's chapter "Day two" is run as it stands there, on free ports.
@Suite struct DayTwoTests {
    /// The ports in the chapter: of the service, of its admin listener, and of the backend for events and for questions.
    private static let ports: [UInt16] = [8300, 8301, 8302, 8303]

    /// Runs a command until it says what the chapter promises, because a changed file is in force a moment later.
    private static let expects = """
        expects() {
            local end=$((SECONDS + 20)) said
            while :; do
                said=$(eval "$2" 2>&1) || true
                case $said in *"$1"*) return ;; esac
                if [ $SECONDS -ge $end ]; then
                    printf 'Expected: %s\\nCommand:  %s\\nIt said:  %s\\n' "$1" "$2" "$said"
                    exit 1
                fi
                sleep 0.1
            done
        }
        """

    private static func chapter() throws -> String {
        let readme = String(decoding: try File.read(packageRoot + "/README.md", limit: 1 << 20).bytes, as: UTF8.self)
        let start = try #require(readme.firstRange(of: "\n## Day two\n"))
        let end = try #require(readme[start.upperBound...].firstRange(of: "\n## "))
        return String(readme[start.upperBound..<end.lowerBound])
    }

    /// The fenced lines; those with a promise as a call of `expects`.
    private static func commands(in chapter: String) -> [String] {
        chapter.split(separator: "```", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.flatMap { block in
            block.element.split(separator: "\n").map { line in
                guard let comment = line.firstRange(of: "# => ") else { return String(line) }
                return "expects \(quoted(line[comment.upperBound...])) \(quoted(line[..<comment.lowerBound]))"
            }
        }
    }

    private static func quoted(_ text: Substring) -> String {
        "'\(text.trimmingSpaces.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    @Test func eachCommandDoesWhatTheChapterSays() throws {
        let commands = Self.commands(in: try Self.chapter())
        #expect(commands.filter { $0.hasPrefix("expects ") }.count >= 30)
        let directory = try TemporaryDirectory()
        let first = try freePorts(UInt16(Self.ports.count))
        var script = commands.joined(separator: "\n")
        for (index, port) in Self.ports.enumerated() {
            script = script.split(separator: "\(port)", omittingEmptySubsequences: false).joined(separator: "\(first + UInt16(index))")
        }
        let setup = """
            set -euo pipefail
            trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
            mkdir bin && ln -s "$1" bin/deskgate && ln -s "$2/examples" examples
            export PATH="$PWD/bin:$PATH"
            """
        try directory.write("day-two", [setup, Self.expects, script].joined(separator: "\n") + "\n")
        let run = try Command("bash", "-c", "cd \"$0\" && exec bash day-two \"$@\"", directory.path, Deskgate.path, packageRoot)
        #expect(run.status == 0, "\(run.output.suffix(2000))")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
