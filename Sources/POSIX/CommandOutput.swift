internal import CPOSIX
internal import Glibc

package enum CommandOutput {
    /// Runs a program without standard input and in the C locale, and waits for its end.
    /// - Parameters:
    ///   - program: its path, or a name that is searched for in PATH.
    ///   - arguments: without the program's own name and without U+0000; no shell interprets them.
    ///   - limit: the maximum number of bytes of output to return; the rest is discarded.
    /// - Returns: standard output; nil when the program cannot be started, or does not end with code 0.
    package static func read(_ program: String, _ arguments: [String], limit: Int) -> [UInt8]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        // Other programs that are started meanwhile must not inherit it.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let identifier = start(program, arguments, output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard let identifier else { return nil }
        let output = readAll(ends[0], limit: limit)
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status == 0 ? output : nil
    }

    private static let environment = ["LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"]

    private static func start(_ program: String, _ arguments: [String], output: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var identifier: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { text in unsafe strdup(text) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { text in unsafe strdup(text) } + [nil]
        defer { unsafe (words + variables).forEach { text in unsafe free(text) } }
        let result = unsafe posix_spawnp(&identifier, program, &actions, nil, words, variables)
        return result == 0 ? identifier : nil
    }

    private static func readAll(_ descriptor: Int32, limit: Int) -> [UInt8] {
        var (kept, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return kept }
            // Output beyond the limit is also read, so that the program can end.
            kept += chunk.prefix(min(count, limit - kept.count))
        }
    }
}
