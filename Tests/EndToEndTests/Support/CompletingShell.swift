import POSIX
import TestSupport

/// A real shell that has loaded the completion script and completes lines like the Tab key.
enum CompletingShell: String, CaseIterable {
    case bash, zsh, fish

    /// The number of lines that one shell completes: many of them start the program, and a shell has the same time limit as any program.
    private static let linesAtOnce = 50

    /// The candidates for each line; the cursor is at its end.
    /// - Parameter directory: the shell's working directory; paths in the candidates are relative to it.
    func complete(_ lines: [String], in directory: TemporaryDirectory) throws -> [String: Set<String>] {
        let script = try Deskgate.run("completions", rawValue)
        try directory.write("_deskgate", script.output)
        try directory.write("driver", driver)
        return try stride(from: 0, to: lines.count, by: Self.linesAtOnce).reduce(into: [:]) { answers, start in
            let some = lines[start..<min(start + Self.linesAtOnce, lines.count)]
            answers.merge(try completeAtOnce(some, in: directory)) { $1 }
        }
    }

    /// Runs a shell that completes these lines.
    private func completeAtOnce(_ lines: ArraySlice<String>, in directory: TemporaryDirectory) throws -> [String: Set<String>] {
        try directory.write("lines", lines.map { "\($0)\n" }.joined())
        let start = """
            cd "$0" && export PATH="$1:$PATH" HOME="$0" LC_ALL=C.UTF-8 DESKGATE_CONFIG=config.json \
                && exec \(rawValue)\(self == .zsh ? " -f" : "") driver <lines
            """
        let words = ["-c", start, directory.path("."), Path.directory(of: Deskgate.path)]
        let process = try ChildProcess("/bin/sh", words.map { Array($0.utf8) })
        let errors = { try process.errors.text() }
        guard try process.exitCode() == 0, try errors().isEmpty else {
            throw ChildProcess.Failure.missingLine(rawValue, hasClosed: true, written: try errors())
        }
        return try answers(process.output.text())
    }

    /// Parses the driver's output: `> line`, followed by one candidate per line, possibly with a tab at its end.
    private func answers(_ text: String) -> [String: Set<String>] {
        var (answers, line): ([String: Set<String>], String) = ([:], "")
        for row in text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            if row.hasPrefix("> ") {
                line = String(row.dropFirst(2))
                answers[line] = []
            } else {
                let candidate = row.prefix { $0 != "\t" }
                answers[line, default: []].insert(String(candidate.hasSuffix("/") ? candidate.dropLast() : candidate))
            }
        }
        return answers
    }

    /// The program in the shell's language that loads the script `_deskgate` and completes each line of the standard input.
    private var driver: String {
        switch self {
        case .bash:
            #"""
            source ./_deskgate
            complete -p deskgate >/dev/null || exit 1
            while IFS= read -r line; do
                # As readline divides a line: at spaces, and around =.
                read -ra COMP_WORDS <<<"${line//=/ = }"
                if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
                COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )) COMPREPLY=()
                _deskgate deskgate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '> %s\n' "$line"
                if (( ${#COMPREPLY[@]} )); then printf '%s\n' "${COMPREPLY[@]}"; fi
            done
            """#
        case .fish:
            #"""
            source ./_deskgate
            while read --line line
                echo "> $line"
                complete -C"$line"
            end
            """#
        case .zsh:
            #"""
            zmodload zsh/zpty
            rm -f ready answers
            # A shell with a terminal, whose compadd writes what matches into the file `answers`.
            cat >interactive <<'END'
            PROMPT= ; setopt no_beep; unsetopt prompt_cr prompt_sp; stty -echo
            fpath=($PWD $fpath)
            autoload -U compinit; compinit -u -d ./zcompdump
            zstyle ':completion:*' insert-tab false
            zstyle ':completion:*' menu no
            LISTMAX=100000
            compadd() {
                if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
                local -a hits
                builtin compadd -A hits "$@"
                print -rl -- $hits >>answers
                builtin compadd "$@"
            }
            finished() { print -r -- "<done>" >>answers; zle kill-whole-line }
            complete-all() { : >answers; zle list-choices; finished }
            zle -N complete-all
            bindkey '^I' complete-all
            print ready >ready
            END
            zpty shell zsh -f -i
            zpty -w shell 'source ./interactive'
            await() { local -i n; for (( n = 0; n < 12000; n++ )); do "$@" && return; zpty -rt shell ignored; sleep 0.01; done; exit 1 }
            await test -e ready
            has_answer() { [[ -e answers && "$(<answers)" == *'<done>' ]] }
            while IFS= read -r line; do
                rm -f answers
                zpty -w -n shell "$line"$'\t'
                await has_answer
                print -r -- "> $line"
                grep -vx '<done>' answers
            done
            exit 0
            """#
        }
    }
}
