/// The settings of a systemd unit by their names in the output of `systemctl show`.
struct UnitSettings: Sendable {
    static let properties = [
        "LoadState", "MainPID", "Type", "User", "ExecStart", "LimitNOFILE", "MemoryMax", "MemoryHigh", "TasksMax", "ProtectSystem",
        "ProtectHome", "PrivateTmp", "PrivateUsers", "ReadWritePaths", "StateDirectory", "RuntimeDirectory", "CacheDirectory",
        "LogsDirectory", "TimeoutStopUSec", "AmbientCapabilities", "CapabilityBoundingSet",
    ]
    /// Settings whose names in unit files differ from their names in the output of `systemctl show`.
    private static let shownNames = ["TimeoutStopSec": "TimeoutStopUSec"]
    /// List settings. Assignments accumulate; an empty value resets the list.
    private static let lists: Set = [
        "ReadWritePaths", "StateDirectory", "RuntimeDirectory", "CacheDirectory", "LogsDirectory", "AmbientCapabilities",
        "CapabilityBoundingSet",
    ]

    let source: String
    private var values: [String: String] = [:]

    /// Parses the output of `systemctl show`: `Name=value` lines.
    init(shown text: String, as source: String) {
        self.source = source
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    /// Parses the section `[Service]` of a unit file (systemd.syntax(7)).
    init(file text: String, as source: String) {
        self.source = source
        var (isInService, kept) = (false, "")
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = kept + Self.trimmed(part)
            kept = ""
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasSuffix("\\") {
                kept = "\(line.dropLast()) "
            } else if line.hasPrefix("[") {
                isInService = line == "[Service]"
            } else if isInService {
                take(line)
            }
        }
    }

    private mutating func take(_ line: String) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let (written, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
        let name = Self.shownNames[written] ?? written
        let former = values[name] ?? ""
        values[name] = Self.lists.contains(name) && !value.isEmpty && !former.isEmpty ? "\(former) \(value)" : value
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let blanks: Set<Character> = [" ", "\t", "\r"]
        let start = text.drop { blanks.contains($0) }
        return String(start.reversed().drop { blanks.contains($0) }.reversed())
    }

    /// The value of a setting; nil when it is missing or empty.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the words of a list, without the prefixes that systemd allows before paths.
    func words(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: " ").map { word in String(word.drop { $0 == "-" || $0 == "+" }) }
    }

    /// Whether a list of capabilities includes one. A list that begins with `~` contains the excluded capabilities.
    func hasCapability(_ capability: String, in name: String) -> Bool {
        let given = words(name).map { $0.lowercased() }
        guard let first = given.first, first.hasPrefix("~") else { return given.contains(capability) }
        return !(given.dropFirst() + [String(first.dropFirst())]).contains(capability)
    }

    func isOn(_ name: String) -> Bool { ["yes", "true", "on", "1"].contains((self[name] ?? "").lowercased()) }

    /// Returns a count, or a size in bytes; nil when it is missing or `infinity`. For `soft:hard`, returns the hard limit.
    func number(_ name: String) -> UInt64? {
        guard let text = self[name]?.split(separator: ":").last, let unit = text.last else { return nil }
        if let number = UInt64(text) { return number }
        guard let power = ["K", "M", "G", "T"].firstIndex(of: String(unit)), let number = UInt64(text.dropLast()) else { return nil }
        return number << (10 * UInt64(power + 1))
    }

    /// Returns a duration in seconds from a value such as `90`, `30s` or `1min 30s`; nil when it is missing or `infinity`.
    func seconds(_ name: String) -> Double? {
        let units: [String: Double] = [
            "us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "": 1, "m": 60, "min": 60, "h": 3600, "hr": 3600, "d": 86_400, "day": 86_400,
        ]
        var total = 0.0
        guard let text = self[name] else { return nil }
        for word in text.split(separator: " ") {
            let digits = word.prefix { $0.isNumber || $0 == "." }
            guard let number = Double(digits), let unit = units[String(word.dropFirst(digits.count))] else { return nil }
            total += number * unit
        }
        return total
    }
}
