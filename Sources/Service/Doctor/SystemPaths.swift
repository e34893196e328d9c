internal import POSIX

/// The paths from which the doctor reads the supervision of the service. Tests use other paths.
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

    /// Returns the text of a small file; nil when it cannot be read.
    /// - Parameter path: the path below `root`.
    func text(_ path: String) -> String? {
        (try? File.read(root + path, limit: Self.limit)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Returns the active settings of a unit from systemd; nil when systemd is not running or has no such unit.
    func shown(_ unit: String) -> UnitSettings? {
        let arguments = ["show", "--no-pager", "--property=\(UnitSettings.properties.joined(separator: ","))", "--", unit]
        guard let output = CommandOutput.read(systemctl, arguments, limit: Self.limit) else { return nil }
        let settings = UnitSettings(shown: String(decoding: output, as: UTF8.self), as: "systemd's unit \(unit)")
        return settings["LoadState"] == "loaded" ? settings : nil
    }

    /// Returns the id of a unit's main process from systemd; nil when systemd or the unit is not running.
    package func mainProcess(of unit: String) -> Int32? {
        shown(unit)?["MainPID"].flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether systemd runs on this machine (sd_booted(3)) and has the unit.
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
