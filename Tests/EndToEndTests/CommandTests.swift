import TestSupport
import Testing

/// The test helper that runs tools.
@Suite struct CommandTests {
    @Test func `finds tools in PATH and accepts paths`() throws {
        #expect(try Command("sh", "-c", "echo found").output == "found\n")
        #expect(try Command("/bin/sh", "-c", "echo found").output == "found\n")
    }

    @Test func `keeps both outputs in their order`() throws {
        let command = try Command("sh", "-c", "echo 1; echo 2 >&2; echo 3; exit 7")
        #expect(command.output == "1\n2\n3\n")
        #expect(command.status == 7)
    }

    @Test(arguments: ["deskgate-no-such-tool", "/nonexistent/tool"])
    func `reports a missing program`(_ program: String) throws {
        #expect { try Command(program) } throws: { error in
            if case ChildProcess.Failure.cannotStart(2) = error { true } else { false }
        }
    }

    @Test func `an end by signal has no exit code`() throws {
        #expect { try Command("sh", "-c", "kill -9 $$") } throws: { error in
            if case ChildProcess.Failure.endedBySignal(9) = error { true } else { false }
        }
    }

    @Test func `files are replaced and their directories created`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("a/b/file", "first and longer", mode: 0o444)
        try directory.write("a/b/file", "second", mode: 0o644)
        #expect(try directory.read("a/b/file") == "second")
        #expect(directory.contents() == ["a", "a/b", "a/b/file"])
        #expect(try Command("stat", "-c", "%a", directory.path("a/b/file"), directory.path("a")).output == "644\n700\n")
    }

    @Test func `directories are removed with their contents`() throws {
        var path = ""
        do {
            let directory = try TemporaryDirectory()
            path = directory.path
            try directory.write("a/b/file", "text")
            #expect(try Command("ln", "-s", "/tmp", directory.path("a/link")).status == 0)
            #expect(try Command("test", "-e", path).status == 0)
        }
        #expect(try Command("test", "-e", path).status == 1)
        #expect(try Command("test", "-e", "/tmp").status == 0)
    }
}
