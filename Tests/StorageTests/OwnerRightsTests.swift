import Glibc
import POSIX
import TestSupport
import Testing

/// The rights with which a command of root works on a file. They are those of the whole process, so each test has one of its own.
@Suite(.enabled(if: getuid() == 0, "only root has other users' rights"))
struct OwnerRightsTests {
    @Test func `the user who controls the path of a file decides`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let (user, nobody): (uid_t, uid_t) = (12345, 65_534)
            let places: [(name: String, owner: uid_t, mode: mode_t)] = [
                ("own", 0, 0o755), ("theirs", user, 0o755), ("theirs/own", 0, 0o755), ("shared", 0, 0o775), ("nobody", nobody, 0o755),
                ("nobody/own", 0, 0o755),
            ]
            for place in places {
                let path = directory.path(place.name)
                try File.createDirectory(path, mode: 0o700)
                #expect(unsafe chown(path, place.owner, place.owner) == 0)
                #expect(unsafe chmod(path, place.mode) == 0)
            }
            try directory.write("shared/file", "")
            #expect(unsafe chown(directory.path("shared/file"), user, user) == 0)
            #expect(unsafe symlink("theirs", directory.path("link")) == 0)
            #expect(unsafe symlink(directory.path("own"), directory.path("theirs/link")) == 0)
            let expected: [(path: String, user: uid_t)] = [
                ("file", 0), ("own/file", 0), ("missing/file", 0), ("theirs/file", user), ("theirs/missing/file", user),
                ("theirs/own/file", user), ("theirs/link/file", user), ("link/file", user), ("link/own/file", user), ("shared/file", user),
                ("shared/missing", 0), ("nobody/file", nobody), ("nobody/own/file", 0),
            ]
            for (path, user) in expected {
                let taken = try Process.asOwner(of: directory.path(path)) { () throws(SystemError) in geteuid() }
                #expect(taken == user, "\(path)")
                #expect(geteuid() == 0, "\(path)")
            }
        }
    }

    @Test func `calls nest, and each gives the rights before it back`() async {
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
