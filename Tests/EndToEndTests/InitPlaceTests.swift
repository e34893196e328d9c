import POSIX
import Testing

@testable import DeskgateCLI

@Suite struct InitPlaceTests {
    @Test func `the database of the packaged service is in its unit's writable directory`() {
        #expect(InitPlace(directory: "/etc/deskgate").store == "/var/lib/deskgate/deskgate.db")
    }

    @Test(arguments: ["/etc/deskgate/more", "/etc", "/srv/etc/deskgate", "/etc/deskgate2", "/home/ann/data", "/"])
    func `any other database is beside the configuration`(_ directory: String) {
        #expect(InitPlace(directory: directory).store == nil)
    }

    @Test func `a directory is recognised under each of its names`() {
        #expect(InitPlace(named: "/etc/deskgate/") == InitPlace(directory: "/etc/deskgate"))
        #expect(InitPlace(named: "/etc/deskgate") == InitPlace(directory: "/etc/deskgate"))
        #expect(InitPlace(named: ".") != InitPlace(directory: "/etc/deskgate"))
    }

    @Test(arguments: [
        ("/etc/deskgate", true, nil, "systemctl enable --now deskgate"),
        ("/etc/deskgate", true, "deskgate", "systemctl enable --now deskgate"),
        ("/etc/deskgate", false, nil, "deskgate serve --config C"),
        ("/etc/deskgate", false, "deskgate", "runuser -u deskgate -- deskgate serve --config C"),
        ("/srv/chat", true, nil, "deskgate serve --config C"), ("/srv/chat", true, "ann", "runuser -u ann -- deskgate serve --config C"),
    ])
    func `the service is started by the command for its directory`(_ directory: String, hasUnit: Bool, owner: String?, start: String) {
        let owner = owner.map { FileOwner(id: 998, name: $0, group: 998) }
        #expect(InitPlace(directory: directory).start("C", hasUnit: hasUnit, otherOwner: owner) == start)
    }

    @Test func `a service of a user without a name is started with the id`() {
        let owner = FileOwner(id: 1000, name: nil, group: 1000)
        let start = InitPlace(directory: "/srv/chat").start("C", hasUnit: false, otherOwner: owner)
        #expect(start == "setpriv --reuid=1000 --regid=1000 --clear-groups deskgate serve --config C")
    }

    @Test(arguments: [
        ("/etc/deskgate", true, "systemctl start deskgate starts the service"), ("/etc/deskgate", false, nil), ("/srv/chat", true, nil),
    ])
    func `a refusal contains the unit if it serves the directory`(_ directory: String, hasUnit: Bool, hint: String?) {
        #expect(InitPlace(directory: directory).hint(hasUnit: hasUnit, isRunning: false) == hint)
    }

    @Test(arguments: [
        ("/etc/deskgate", true, "the service runs already (systemctl status deskgate)"), ("/etc/deskgate", false, nil),
        ("/srv/chat", true, nil),
    ])
    func `a refusal reports a running unit`(_ directory: String, hasUnit: Bool, hint: String?) {
        #expect(InitPlace(directory: directory).hint(hasUnit: hasUnit, isRunning: true) == hint)
    }

    @Test(arguments: [
        ("/etc/deskgate", true, "restart it: systemctl restart deskgate"), ("/etc/deskgate", false, "restart it"),
        ("/srv/chat", true, "restart it"),
    ])
    func `a command contains the running unit`(_ directory: String, isRunning: Bool, order: String) {
        #expect(InitPlace(directory: directory).order("restart", isRunning: isRunning) == order)
    }

    @Test func `a path is quoted as one word of the command`() {
        let start = InitPlace(directory: "/srv").start("/srv/it's here/config.json", hasUnit: false, otherOwner: nil)
        #expect(start == #"deskgate serve --config '/srv/it'\''s here/config.json'"#)
    }
}
