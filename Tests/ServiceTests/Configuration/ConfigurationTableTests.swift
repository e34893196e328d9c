import POSIX
import TestSupport
import Testing

/// The tables of docs/CONFIGURATION.md, generated from the lists of keys.
@Suite struct ConfigurationTableTests {
    private static let path = "\(packageRoot)/docs/CONFIGURATION.md"

    /// `make configuration-tables` sets the variable.
    @Test func `the tables of the documentation are current`() throws {
        let page = String(decoding: try File.read(Self.path, limit: 1 << 20).bytes, as: UTF8.self)
        let renewed = ConfigurationTable.renewed(page)
        if Process.environment("DESKGATE_WRITE_TABLES") != nil {
            try File.replace(Self.path, mode: 0o644, Array(renewed.utf8))
            return
        }
        let written = Set(page.split(separator: "\n"))
        let missing = renewed.split(separator: "\n").filter { !written.contains($0) }
        #expect(missing == [], "write them with: make configuration-tables")
        #expect(page == renewed, "write them with: make configuration-tables")
    }
}
