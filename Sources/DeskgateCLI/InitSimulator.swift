internal import Configuration
internal import JSON
internal import POSIX

/// The notifiers of running simulators and their device types, in the form for a configuration.
struct InitSimulator {
    /// The content of the configuration's `notifiers`.
    let notifiers: JSONObject
    /// The content of an app's `routes`.
    let routes: JSONObject
    /// Members of an app's `sendbird`; nil for an app of another help desk.
    let sendbird: JSONObject?

    private static let sizeLimit = 1 << 20
    /// The simulated notifiers, each with the device type that apps commonly use.
    private static let types = [("apns", "ios"), ("fcm", "android"), ("hms", "huawei"), ("rustore", "rustore")]

    /// Reads the files that `simulate` has written to a directory.
    init(directory: String, helpDesk: HelpDeskKind) throws(CommandError) {
        let simulated = try Self.read("notifiers.json", in: directory)
        sendbird = helpDesk == .sendbird ? try Self.read("sendbird.json", in: directory) : nil
        var notifiers: JSONObject = ["log": ["type": "log"]]
        var routes = JSONObject()
        for member in simulated.members { notifiers.append(member.value, forKey: member.key) }
        for (notifier, type) in Self.types where simulated[notifier] != nil { routes.append(.string(notifier), forKey: type) }
        self.notifiers = notifiers
        self.routes = routes
    }

    private static func read(_ name: String, in directory: String) throws(CommandError) -> JSONObject {
        let path = Path.resolve(name, in: directory)
        let remedy = "start this first and leave it running: deskgate simulate --directory \(directory)"
        let bytes = try explaining { () throws(SystemError) in
            try File.read(path, limit: sizeLimit).bytes
        } as: {
            .option("simulator", "cannot read \(path): \($0); \(remedy)")
        }
        guard case .object(let object)? = (try? JSONDocument(parsing: bytes.span))?.value() else {
            throw .option("simulator", "\(path) is not a file of simulate; \(remedy)")
        }
        return object
    }
}
