package import JSON
package import POSIX

/// The files that a configuration needs to use the simulators; only their owner may read them.
package struct SimulatorFiles {
    private static let notifiersFile = "notifiers.json"
    /// An absolute path, so that paths in the files are valid in any working directory.
    package let directory: String

    /// Creates the directory if it does not exist.
    package init(directory: String) throws(SystemError) {
        try File.createDirectory(directory, mode: 0o700)
        self.directory = try FileSystem.absolutePath(of: directory)
    }

    /// Removes the `notifiers.json` of an earlier run, whose ports are no longer valid.
    package func removeNotifiers() throws(SystemError) {
        do throws(SystemError) {
            try File.remove(path(Self.notifiersFile))
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    package func path(_ name: String) -> String {
        Path.resolve(name, in: directory)
    }

    /// Writes all files and replaces older ones: the authority, one file for each credential, and `notifiers.json`.
    /// - Throws: when a file cannot be written.
    package func write(_ simulators: SimulatorSet) throws(SystemError) {
        let credentials = simulators.credentials
        try write("ca.pem", simulators.authority)
        try write("apns.p8", credentials.apnsKey)
        try write("service-account.json", text(serviceAccount(simulators)))
        try write("hms-secret", "\(credentials.hmsSecret)\n")
        try write("rustore-token", "\(credentials.rustoreToken)\n")
        try write(Self.notifiersFile, text(notifiers(simulators)))
    }

    /// Writes the tokens of Sendbird, and in `sendbird.json` the members of an app's `sendbird` that use them; replaces older files.
    /// - Throws: when a file cannot be written.
    package func write(_ sendbird: SimulatedSendbird) throws(SystemError) {
        try write("sendbird-chat-token", "\(sendbird.chat.token)\n")
        try write("sendbird-desk-token", "\(sendbird.desk.token)\n")
        try write("sendbird.json", text(settings(sendbird)))
    }

    /// Returns the members of an app's `sendbird` that use a simulated Sendbird.
    package func settings(_ sendbird: SimulatedSendbird) -> JSONValue {
        [
            "chat_token": ["file": .string(path("sendbird-chat-token"))], "desk_token": ["file": .string(path("sendbird-desk-token"))],
            "chat_url": .string(sendbird.chat.url), "desk_url": .string(sendbird.desk.url),
        ]
    }

    private func write(_ name: String, _ text: String) throws(SystemError) {
        do throws(SystemError) {
            try File.create(path(name), mode: 0o600, text.utf8)
        } catch {
            guard error.alreadyExists else { throw error }
            try File.remove(path(name))
            try File.create(path(name), mode: 0o600, text.utf8)
        }
    }

    private func text(_ value: JSONValue) -> String {
        String(decoding: value.serialized(pretty: true), as: UTF8.self) + "\n"
    }

    private func serviceAccount(_ simulators: SimulatorSet) -> JSONValue {
        [
            "type": "service_account", "project_id": .string(simulators.credentials.project), "private_key_id": "simulated",
            "private_key": .string(simulators.credentials.fcmKey), "client_email": .string(simulators.credentials.fcmClientEmail),
            "client_id": "100000000000000000001", "token_uri": .string("\(simulators[.fcm].url)/token"),
        ]
    }

    package func notifiers(_ simulators: SimulatorSet) -> JSONValue {
        let credentials = simulators.credentials
        let authority = JSONValue.string(path("ca.pem"))
        // The full text is safe, because it does not leave this machine.
        let full: JSONValue = "full"
        func file(_ name: String) -> JSONValue { ["file": .string(path(name))] }
        return [
            "apns": [
                "type": "apns", "key": file("apns.p8"), "key_id": .string(credentials.apnsKeyID),
                "team_id": .string(credentials.apnsTeamID), "topic": .string(credentials.apnsTopic),
                "url": .string(simulators[.apns].url), "sandbox_url": .string(simulators[.apnsSandbox].url),
                "certificate_authorities": authority, "content": full,
            ],
            "fcm": [
                "type": "fcm", "service_account": file("service-account.json"), "url": .string(simulators[.fcm].url),
                "certificate_authorities": authority, "content": full,
            ],
            "hms": [
                "type": "hms", "app_id": .string(credentials.hmsAppID), "secret": file("hms-secret"),
                "url": .string(simulators[.hms].url), "token_url": .string("\(simulators[.hms].url)/oauth2/v3/token"),
                "certificate_authorities": authority, "content": full,
            ],
            "rustore": [
                "type": "rustore", "project_id": .string(credentials.project), "token": file("rustore-token"),
                "url": .string(simulators[.rustore].url), "certificate_authorities": authority, "content": full,
            ],
        ]
    }
}
