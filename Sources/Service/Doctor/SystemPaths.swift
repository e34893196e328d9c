internal import POSIX

/// The paths from which the doctor reads how the service is supervised; tests use others.
package struct SystemPaths: Sendable {
    package static let system = SystemPaths(root: "", systemctl: "systemctl")

    /// The prefix of `/proc`, `/sys` and `/etc`.
    let root: String
    let systemctl: String

    package init(root: String, systemctl: String) {
        self.root = root
        self.systemctl = systemctl
    }

    private static let limit = 1 << 20

    /// The text of a small file; nil when it cannot be read.
    /// - Parameter path: from the root on.
    func text(_ path: String) -> String? {
        (try? File.read(root + path, limit: Self.limit)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Returns the settings of a unit that systemd has in force; nil when it does not run, or knows no such unit.
    func shown(_ unit: String) -> UnitSettings? {
        let arguments = ["show", "--no-pager", "--property=\(UnitSettings.properties.joined(separator: ","))", "--", unit]
        guard let output = CommandOutput.read(systemctl, arguments, limit: Self.limit) else { return nil }
        let settings = UnitSettings(shown: String(decoding: output, as: UTF8.self), as: "systemd's unit \(unit)")
        return settings["LoadState"] == "loaded" ? settings : nil
    }

    /// The main process of a unit, as systemd knows it; nil when it does not run, or knows no such unit.
    package func mainProcess(of unit: String) -> Int32? {
        shown(unit)?["MainPID"].flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether systemd runs here (sd_booted(3)) and has a unit.
    package func isServed(by unit: String) -> Bool {
        FileSystem.isDirectory("\(root)/run/systemd/system") && written(unit) != nil
    }

    /// Returns the settings in a unit's file, without its drop-ins; nil without a file.
    func written(_ unit: String) -> UnitSettings? {
        for directory in ["/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"] {
            if let text = text("\(directory)/\(unit)") { return UnitSettings(file: text, as: "\(directory)/\(unit)") }
        }
        return nil
    }
}
