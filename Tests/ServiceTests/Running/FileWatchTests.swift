import Glibc
import POSIX
import TestSupport
import Testing

/// Which changes of files are noticed. The system reports a change before the call that makes it returns, so nothing waits here.
@Suite struct FileWatchTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("etc/config.json", "{}")
    }

    private func places(_ name: String = "etc/config.json") -> FilePlaces { FilePlaces(of: [directory.path(name)]) }

    private func link(_ name: String, to target: String) {
        unsafe symlink(target, directory.path(name))
    }

    private func append(_ name: String, _ text: String) throws {
        let descriptor = unsafe open(directory.path(name), O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        try File.write(Array(text.utf8), to: descriptor)
    }

    @Test func writingRenamingRemovingAndTouching() throws {
        let watch = try FileWatch(places())
        func isSeen(_ change: () throws -> Void) throws -> Bool {
            try change()
            return watch.takeChanges()
        }
        #expect(try isSeen { try append("etc/config.json", " ") })
        #expect(try isSeen { try directory.write("etc/new", "{}") } == false)
        #expect(try isSeen { try File.rename(directory.path("etc/new"), to: directory.path("etc/config.json")) })
        #expect(try isSeen { unsafe chmod(directory.path("etc/config.json"), 0o640) })
        #expect(try isSeen { try File.remove(directory.path("etc/config.json")) })
        #expect(try isSeen { try directory.write("etc/config.json", "{}") })
        #expect(try !isSeen {})
    }

    /// The store's database lies beside the configuration by default, and is written all the time.
    @Test func notWhatElseLiesThere() throws {
        try directory.write("etc/deskgate.db", "")
        let watch = try FileWatch(places())
        try append("etc/deskgate.db", "x")
        try directory.write("etc/deskgate.db-wal", "x")
        unsafe unlink(directory.path("etc/deskgate.db"))
        _ = try directory.read("etc/config.json")
        #expect(!watch.takeChanges())
    }

    @Test func aFileThatIsStillOpenIsNotReadyYet() throws {
        let watch = try FileWatch(places())
        let descriptor = unsafe open(directory.path("etc/config.json"), O_WRONLY | O_TRUNC)
        try File.write(Array("{".utf8), to: descriptor)
        #expect(!watch.takeChanges())
        close(descriptor)
        #expect(watch.takeChanges())
    }

    /// `NAME -> ..data/NAME`, `..data -> ..2026_1`: what is replaced is the link in the middle.
    @Test func eachLinkOnTheWay() throws {
        try directory.write("..2026_1/key", "1")
        try directory.write("..2026_2/key", "2")
        link("..data", to: "..2026_1")
        link("key", to: "..data/key")
        link("outer", to: directory.path("key"))
        let real = try FileSystem.absolutePath(of: directory.path)
        let places = places("outer")
        #expect(places.names == [real: ["outer", "key", "..data"], "\(real)/..2026_1": ["key"]])
        #expect(places.files == ["\(real)/..2026_1/key"])
        let watch = try FileWatch(places)
        link("..data_tmp", to: "..2026_2")
        #expect(!watch.takeChanges())
        try File.rename(directory.path("..data_tmp"), to: directory.path("..data"))
        #expect(watch.takeChanges())
        #expect(self.places("outer") != places)
    }

    @Test func whatIsMissingAtTheDeepestDirectoryThatIsThere() throws {
        let watch = try FileWatch(places("etc/secrets/app/key"))
        try directory.write("etc/other", "")
        #expect(!watch.takeChanges())
        try directory.write("etc/secrets/app/key", "")
        #expect(watch.takeChanges())
        #expect(try FileWatch(places("etc/secrets/app/key")).takeChanges() == false)
    }

    @Test func aDirectoryThatIsReplaced() throws {
        try directory.write("next/config.json", "{}")
        let watch = try FileWatch(places())
        try File.rename(directory.path("etc"), to: directory.path("former"))
        #expect(watch.takeChanges())
    }

    /// Links that lead to each other, to nowhere, upwards and out of the root.
    @Test func strangePaths() throws {
        link("a", to: "b")
        link("b", to: "a")
        link("up", to: "etc/../../\(directory.path.split(separator: "/").last ?? "")/./etc//config.json")
        link("out", to: String(repeating: "../", count: 30) + "etc/hostname")
        let real = try FileSystem.absolutePath(of: directory.path)
        #expect(places("a").names[real]?.isSuperset(of: ["a", "b"]) == true)
        #expect(places("up").files == ["\(real)/etc/config.json"])
        #expect(places("out").names["/etc"] == ["hostname"])
        #expect(FilePlaces(of: ["/"]).names.isEmpty)
        for name in ["a", "up", "out"] { _ = try FileWatch(places(name)) }
    }

    /// As a container sees a file of the host that is mounted alone: it changes in a directory that is not there.
    @Test func aFileThatChangesThroughAnotherName() throws {
        try directory.write("host/config.json", "{}")
        try File.remove(directory.path("etc/config.json"))
        try File.link(directory.path("host/config.json"), as: directory.path("etc/config.json"))
        let watch = try FileWatch(places())
        try append("host/config.json", " ")
        #expect(watch.takeChanges())
    }

    @Test func saysWhichDirectoryIsMissing() throws {
        let gone = places()
        try File.rename(directory.path("etc"), to: directory.path("former"))
        let failure = #expect(throws: FileWatch.Failure.self) { try FileWatch(gone) }
        #expect(failure?.description.hasSuffix("/etc: No such file or directory") == true)
        #expect(failure?.isOutdated == true)
    }
}
