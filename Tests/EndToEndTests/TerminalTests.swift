import JSON
import TestSupport
import Testing

@Suite struct TerminalTests {
    @Test func `a long command shows its duration`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        #expect(try RunningServer(workspace).stop() == .exit(0))
        try workspace.write("slow-disk", "500")
        let slow = "LD_PRELOAD='\(Deskgate.slowDisk)' SLOW_DISK_FILE='\(workspace.directory.path("slow-disk"))'"
        func backup(_ name: String) -> String {
            "\(slow) '\(Deskgate.path)' store backup --config '\(workspace.configuration)' '\(workspace.directory.path(name))'"
        }
        let shown = try onTerminal(backup("one.db"))
        #expect(shown.contains(/\rbacking up: [1-9][0-9]* s\u{1B}\[K/))
        // The line is erased before the result.
        #expect(shown.contains("\r\u{1B}[K\(workspace.directory.path("one.db")) holds everything"))
        let plain = try Command("sh", "-c", backup("two.db"))
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("\(workspace.directory.path("two.db")) holds everything"))
    }

    @Test func `the status is coloured`() throws {
        let workspace = try Workspace([
            "listen": ["unix": "public.sock", "max_connections": 100],
            "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]],
        ])
        let server = try RunningServer(workspace)
        let words = "'\(Deskgate.path)' status --config '\(workspace.configuration)'"
        let shown = try onTerminal(words)
        #expect(shown.contains("\u{1B}[32mDeskgate ") && shown.contains(" is ready.\u{1B}[0m"), "\(shown)")
        #expect(try !Command("sh", "-c", words).output.contains("\u{1B}"))
        #expect(try server.stop() == .exit(0))
    }

    private func onTerminal(_ words: String) throws -> String {
        try Command("env", "-u", "NO_COLOR", "TERM=xterm", "script", "-qec", words, "/dev/null").output
    }
}
