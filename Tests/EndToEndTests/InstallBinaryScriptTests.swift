import TestSupport
import Testing

/// `Scripts/install-binary`, which `make install` calls when the binary is built.
@Suite struct InstallBinaryScriptTests {
    @Test func `installs the files that the binary prints`() throws {
        let scratch = try TemporaryDirectory()
        let place = try Command("\(packageRoot)/Scripts/install-binary", Deskgate.path, scratch.path("usr"))
        #expect(place.status == 0)
        #expect(place.output.isEmpty)
        let completions = [
            "bash": "bash-completion/completions/deskgate", "zsh": "zsh/site-functions/_deskgate",
            "fish": "fish/vendor_completions.d/deskgate.fish",
        ]
        for (shell, path) in completions {
            #expect(try scratch.read("usr/share/\(path)") == Deskgate.run("completions", shell).output)
        }
        #expect(try scratch.read("usr/share/man/man1/deskgate.1").contains("\n.SH NAME\ndeskgate \\- "))
        #expect(try Command(scratch.path("usr/bin/deskgate"), "version").output == Deskgate.run("version").output)
    }
}
