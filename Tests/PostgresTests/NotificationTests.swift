import Postgres
import TestSupport
import Testing
import Threading

@Suite struct NotificationTests {
    @Test func `waits for notifications`() throws {
        let listener = try connect()
        try listener.run("LISTEN waited_for")
        #expect(try listener.waitForNotification(by: .after(milliseconds: 1)) == nil)
        let thread = startThread {
            let notify = Query("SELECT pg_notify('waited_for', $1)", .text("caf\u{e9}"))
            #expect(throws: Never.self) { try connect().run(notify, by: .deferrable) }
        }
        let notification = try listener.waitForNotification(by: .deferrable)
        #expect(notification?.channel == "waited_for")
        #expect(notification?.payload == "caf\u{e9}")
        thread.join()
        #expect(try listener.number("SELECT 1") == 1)
    }

    @Test func `keeps notifications that arrive during other calls`() throws {
        let (listener, sender) = (try connect(), try connect())
        try listener.run("LISTEN kept_meanwhile")
        try sender.pipeline([Query("NOTIFY kept_meanwhile, 'a'"), Query("NOTIFY kept_meanwhile, 'b'")], by: .deferrable)
        #expect(try listener.number("SELECT 1") == 1)
        #expect(try listener.waitForNotification(by: .deferrable)?.payload == "a")
        #expect(try listener.waitForNotification(by: .deferrable)?.payload == "b")
        #expect(try listener.waitForNotification(by: .after(milliseconds: 1)) == nil)
    }

    @Test func `detects a broken connection`() throws {
        let server = try PostgresServer()
        let listener = try connect(to: server)
        try listener.run("LISTEN broken")
        let thread = startThread { #expect(throws: Never.self) { try server.stopFast() } }
        let error = failure { () throws(PostgresError) in _ = try listener.waitForNotification(by: .deferrable) }
        thread.join()
        #expect(error?.sqlState == "57P01")
        #expect(error?.isConnectionLost == true)
    }
}
