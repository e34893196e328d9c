import Glibc
import POSIX
import TestSupport
import Testing
import Threading

/// The user ID under which a command of root accesses a file. It is a property of the process, so each test runs in its own process.
@Suite(.enabled(if: getuid() == 0, "only root has other users' rights"))
struct OwnerRightsTests {
    private static let user: uid_t = 12345
    private static let other: uid_t = 12346
    private static let nobody: uid_t = 65_534

    /// Directories of several owners, with symbolic links.
    private static func makePlaces() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        #expect(unsafe chmod(directory.path, 0o755) == 0)
        let places: [(name: String, owner: uid_t, mode: mode_t)] = [
            ("own", 0, 0o755), ("theirs", user, 0o755), ("theirs/own", 0, 0o755), ("other", other, 0o755), ("shared", 0, 0o2775),
            ("shared/own", 0, 0o755), ("sticky", 0, 0o1777), ("sticky/own", 0, 0o755), ("nobody", nobody, 0o755), ("nobody/own", 0, 0o755),
        ]
        for place in places {
            let path = directory.path(place.name)
            try File.createDirectory(path, mode: 0o700)
            #expect(unsafe chown(path, place.owner, place.owner) == 0)
            #expect(unsafe chmod(path, place.mode) == 0)
        }
        for name in ["shared/file", "sticky/file"] {
            try directory.write(name, "")
            #expect(unsafe chown(directory.path(name), user, user) == 0)
        }
        try directory.write("shared/root's", "")
        let links = [
            ("link", "theirs"), ("theirs/link", directory.path("own")), ("through", "theirs/link"), ("theirs/others", "../other"),
            ("file-link", "theirs/file"), ("loop", "loop"), ("sticky/link", directory.path("own")), ("sticky/roots-link", "file"),
        ]
        for (name, target) in links { #expect(unsafe symlink(target, directory.path(name)) == 0) }
        #expect(unsafe lchown(directory.path("sticky/link"), user, user) == 0)
        return directory
    }

    @Test func `the first owner on the path other than root is used`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            let user = Self.user
            let expected: [(path: String, user: uid_t)] = [
                ("file", 0), ("own/file", 0), ("missing/file", 0), ("theirs/file", user), ("theirs/missing/file", user),
                ("theirs/own/file", user), ("own/../theirs/./file", user), ("theirs/../own/file", user), ("link/file", user),
                ("link/own/file", user), ("theirs/link/file", user), ("through/file", user), ("file-link", user), ("shared/file", user),
                ("sticky/missing", 0), ("sticky/own/file", 0), ("sticky/file", user), ("sticky/link/file", user),
                ("sticky/roots-link", user),
                ("nobody/file", Self.nobody), ("nobody/own/file", Machine.unmappedUser == Self.nobody ? 0 : Self.nobody),
            ]
            for (path, user) in expected {
                let taken = try Process.asOwner(of: directory.path(path)) { () throws(SystemError) in geteuid() }
                #expect(taken == user, "\(path)")
                #expect(geteuid() == 0, "\(path)")
            }
        }
    }

    @Test func `a path that several users could redirect is refused`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            let refused: [(path: String, reason: String)] = [
                ("theirs/others/file", "\(directory.path("other")) belongs to user 12346, but \(directory.path("theirs")) "),
                ("shared/missing", "\(directory.path("shared")) is root's, but others may write to it: "),
                ("shared/root's", "\(directory.path("shared")) is root's, but others may write to it: "),
                ("shared/own/file", "\(directory.path("shared")) is root's, but others may write to it: "),
                ("shared/missing/file", "\(directory.path("shared")) is root's, but others may write to it: "),
                ("loop/file", "Too many levels of symbolic links"),
            ]
            for (path, reason) in refused {
                let error = #expect(throws: SystemError.self, "\(path)") {
                    try Process.asOwner(of: directory.path(path)) { () throws(SystemError) in }
                }
                #expect(error?.description.hasPrefix(reason) == true, "\(path): \(String(describing: error))")
                #expect(geteuid() == 0, "\(path)")
            }
        }
    }

    @Test func `an error names the user whose permissions were insufficient`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            let path = directory.path("theirs/own/file")
            let error = #expect(throws: SystemError.self) {
                try Process.asOwner(of: path) { () throws(SystemError) in try File.create(path, mode: 0o600, []) }
            }
            let reason = "Permission denied with the rights of user 12345, who owns \(directory.path("theirs")): "
            #expect(error?.description.hasPrefix(reason) == true, "\(String(describing: error))")
            #expect(Process.rightsInForce == nil)
        }
    }

    @Test func `an error has the name of a user in the user database`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            #expect(unsafe chown(directory.path("theirs"), 1, 1) == 0)
            let path = directory.path("theirs/own/file")
            let error = #expect(throws: SystemError.self) {
                try Process.asOwner(of: path) { () throws(SystemError) in try File.create(path, mode: 0o600, []) }
            }
            #expect(error?.description.contains(" with the rights of daemon, who owns ") == true, "\(String(describing: error))")
        }
    }

    @Test func `a file in a directory that its owner cannot read is treated as missing`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            try directory.write("own/file", "")
            #expect(unsafe chmod(directory.path("own"), 0o700) == 0)
            #expect(File.exists(directory.path("own/file")))
            let isSeen = try Process.asOwner(of: directory.path("theirs/file")) { () throws(SystemError) in
                File.exists(directory.path("own/file"))
            }
            #expect(!isSeen)
        }
    }

    @Test func `threads switch the user one after the other`() async {
        await #expect(processExitsWith: .success) {
            let directory = try Self.makePlaces()
            let paths = [("theirs/file", Self.user), ("theirs/own/file", Self.user), ("other/file", Self.other), ("own/file", 0)]
            let wrong = Monitor(0)
            onThreads(paths.count) { index in
                let (path, user) = (directory.path(paths[index].0), paths[index].1)
                for _ in 0..<200 {
                    let taken = try? Process.asOwner(of: path) { () throws(SystemError) in
                        sched_yield()
                        return geteuid()
                    }
                    if taken != user { wrong.update { $0 += 1 } }
                }
            }
            #expect(wrong.withLock(\.self) == 0)
            #expect(geteuid() == 0)
        }
    }

    @Test func `nested calls restore the previous user`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let users: [uid_t] = [12345, 12346]
            for user in users {
                try File.createDirectory(directory.path("\(user)"), mode: 0o700)
                #expect(unsafe chown(directory.path("\(user)"), user, user) == 0)
            }
            var taken: [uid_t] = []
            try Process.asOwner(of: directory.path("12345/file")) { () throws(SystemError) in
                try Process.asOwner(of: directory.path("12346/file")) { () throws(SystemError) in taken.append(geteuid()) }
                taken.append(geteuid())
                try Process.asOwner(of: directory.path("file")) { () throws(SystemError) in taken.append(geteuid()) }
                taken.append(geteuid())
                #expect(getegid() == 12345)
            }
            #expect(taken == [12346, 12345, 0, 12345])
            #expect(geteuid() == 0)
            #expect(getegid() == getgid())
        }
    }
}
