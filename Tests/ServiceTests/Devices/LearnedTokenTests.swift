import Core
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Push tokens in webhooks, from the route to the store.
@Suite struct LearnedTokenTests {
    private let site: RegistrySite

    init() throws {
        site = try RegistrySite()
    }

    @Test func `is stored and announced once`() throws {
        for comment in 1...3 { try site.webhook(comment, token: "learned") }
        let device = try #require(try site.devices().first)
        #expect(try site.devices().count == 1)
        #expect(device.token.text == RegistrySite.token("learned"))
        #expect(device.type == "ios")
        #expect(try site.deliveries(.commentCreated).map { $0.device?.token } == Array(repeating: device.token, count: 3))
        #expect(try site.deliveries(.pushTokenRegistered).count == 1)
    }

    @Test func `is not stored again after a sign-out`() throws {
        try site.webhook(1, token: "learned")
        #expect(try site.register(token: nil).text == #"{"status":"removed"}"#)
        try site.webhook(2, token: "learned")
        #expect(try site.devices().isEmpty)
        #expect(try site.deliveries(.commentCreated).map(\.state) == [.noTarget, .pending])
        #expect(try site.deliveries(.pushTokenRegistered).count == 1)
        #expect(try site.deliveries(.pushTokenRemoved).count == 1)
    }

    @Test func `is not stored when a sign-out preceded it`() throws {
        #expect(try site.register(token: nil).text == #"{"status":"unchanged"}"#)
        try site.webhook(1, token: "late")
        #expect(try site.devices().isEmpty)
        #expect(try site.deliveries(.commentCreated).map(\.state) == [.noTarget])
    }

    @Test func `replaces the device's former token`() throws {
        try site.webhook(1, token: "old")
        try site.webhook(2, token: "new", type: nil)
        let device = try #require(try site.devices().first)
        #expect(device.token.text == RegistrySite.token("new"))
        #expect(device.type == "ios", "nobody said that the type has changed")
        #expect(try site.deliveries(.pushTokenRegistered).count == 2)
    }

    /// The token is valid even if its comment is rejected. It must be announced at once, not with the next comment.
    @Test func `is announced although the queue is full for the comment`() throws {
        let site = try RegistrySite(maxPending: 1)
        try site.webhook(1, token: nil, device: "")
        _ = site.graph.dispatcherInbox.withLock { $0.take() }
        let refused = site.post(2, token: "learned")
        #expect(refused.status == 503)
        #expect(refused.text.contains("queue_full"))
        #expect(try site.deliveries(.pushTokenRegistered).map(\.state) == [.pending])
        #expect(site.graph.dispatcherInbox.withLock { $0.hasNewWork })
    }

    @Test func `appears neither in the comment nor in the log`() throws {
        try site.webhook(1, token: "learned")
        #expect(try site.register(token: "registered").status == 200)
        try site.webhook(2, token: "learned")
        let reported = try site.fixture.log.text() + site.metricsText()
        for name in ["learned", "registered"] { #expect(!reported.contains(RegistrySite.token(name))) }
        for delivery in try site.deliveries(.commentCreated) {
            #expect(!String(decoding: delivery.event.data, as: UTF8.self).contains(RegistrySite.token("learned")))
        }
    }
}
