internal import JSON
internal import POSIX

/// What `init` takes over from running simulators: their notifiers, and which devices they are for.
struct InitSimulator {
    /// What goes into the configuration's `notifiers`.
    let notifiers: JSONObject
    /// What goes into an app's `routes`.
    let routes: JSONObject

    private static let sizeLimit = 1 << 20
    /// The device types that the READMEs of apps use, by the simulated notifier.
    private static let types = [("apns", "ios"), ("fcm", "android"), ("hms", "huawei"), ("rustore", "rustore")]

    /// Reads what `simulate` has written into a directory.
    init(directory: String) throws(CommandError) {
        let path = Path.resolve("notifiers.json", in: directory)
        let remedy = "start this first and leave it running: deskgate simulate --directory \(directory)"
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.read(path, limit: Self.sizeLimit).bytes
        } catch {
            throw .option("simulator", "cannot read \(path): \(error); \(remedy)")
        }
        guard case .object(let simulated)? = (try? JSONDocument(parsing: bytes.span))?.value() else {
            throw .option("simulator", "\(path) is not what simulate writes; \(remedy)")
        }
        var notifiers: JSONObject = ["log": ["type": "log"]]
        var routes = JSONObject()
        for member in simulated.members { notifiers.append(member.value, forKey: member.key) }
        for (notifier, type) in Self.types where simulated[notifier] != nil { routes.append(.string(notifier), forKey: type) }
        self.notifiers = notifiers
        self.routes = routes
    }
}
