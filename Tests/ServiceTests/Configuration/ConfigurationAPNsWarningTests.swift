import Core
import TestSupport
import Testing

@testable import Configuration

/// Identifiers and an address of APNs that cannot be valid.
@Suite struct ConfigurationAPNsWarningTests {
    private static let topic = "com.example.chat"

    @Test(
        arguments: [
            ("ABCDE12345", "FGHIJ67890", topic, nil),
            ("ABCDE12346", "FGHIJ67890", topic, "key_id: differs from the name of the key's file"),
            ("abcde12345", "FGHIJ67890", topic, "key_id: has small letters"),
            ("ABCDE12345", "fghij67890", topic, "team_id: has small letters"),
            ("ABCDE12345", "FGHIJ67890", "FGHIJ67890.\(topic)", "topic: begins with the team_id"),
        ] as [(String, String, String, String?)])
    func `implausible settings of APNs cause a warning`(_ keyID: String, teamID: String, topic: String, warning: String?) throws {
        let directory = try ConfigurationDirectory()
        try directory.writePushCredentials()
        let apns =
            #"{"type":"apns","key":{"file":"secrets/AuthKey_ABCDE12345.p8"},"key_id":"\#(keyID)","team_id":"\#(teamID)","topic":"\#(topic)"}"#
        let found = try directory.configuration(members: #""notifiers":{"log":{"type":"log"},"push":\#(apns)}"#).apnsWarnings
        #expect(found.count == (warning == nil ? 0 : 1))
        for one in found {
            #expect("\(one.path): \(one.message.english)".hasPrefix("$.notifiers.push.\(warning ?? "")"))
            #expect(one.message.isTranslated)
        }
    }

    @Test(
        arguments: [
            ("https://fcm.googleapis.com", "fcm"), ("https://api.sandbox.push.apple.com", nil), ("https://relay.example.com", nil),
        ] as [(String, String?)])
    func `the address of another provider causes a warning`(_ url: String, _ owner: String?) throws {
        let directory = try ConfigurationDirectory()
        try directory.writePushCredentials()
        let key = #""key":{"file":"secrets/AuthKey_ABCDE12345.p8"},"key_id":"ABCDE12345","team_id":"FGHIJ67890","topic":"\#(Self.topic)""#
        let apns = #"{"type":"apns",\#(key),"url":"\#(url)"}"#
        let found = try directory.configuration(members: #""notifiers":{"log":{"type":"log"},"push":\#(apns)}"#).providerHostWarnings
        #expect(found.map(\.path) == (owner == nil ? [] : ["$.notifiers.push.url"]))
        for one in found { #expect(one.message.english.hasPrefix("is an address for notifiers of type \(owner ?? "");")) }
    }
}
