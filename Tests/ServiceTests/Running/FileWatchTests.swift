import Glibc
import POSIX
import TestSupport
import Testing

/// Which changes of files are noticed. The system reports a change before the call that makes it returns, so nothing waits here.
///
/// A test that a change is not seen, or not yet, runs in a process of its own. Elsewhere a program that another test starts has what
/// is open for writing open too, until it runs, and the system reports the end of writing only then.
@Suite struct FileWatchTests {
    @Test func `writing renaming removing and touching`() async {
        await #expect(processExitsWith: .success) {
            let place = try WatchedPlace()
            let watch = try FileWatch(place.files())
            func isSeen(_ change: () throws -> Void) throws -> Bool {
                try change()
                return watch.takeChanges()
            }
            #expect(try isSeen { try place.append("etc/config.json", " ") })
            #expect(try isSeen { try place.directory.write("etc/new", "{}") } == false)
            #expect(try isSeen { try File.rename(place.path("etc/new"), to: place.path("etc/config.json")) })
            #expect(try isSeen { unsafe chmod(place.path("etc/config.json"), 0o640) })
            #expect(try isSeen { try File.remove(place.path("etc/config.json")) })
            #expect(try isSeen { try place.directory.write("etc/config.json", "{}") })
            #expect(try !isSeen {})
        }
    }

    /// The store's database lies beside the configuration by default, and is written all the time.
    @Test func `not what else lies there`() async {
        await #expect(processExitsWith: .success) {
            let place = try WatchedPlace()
            try place.directory.write("etc/deskgate.db", "")
            let watch = try FileWatch(place.files())
            try place.append("etc/deskgate.db", "x")
            try place.directory.write("etc/deskgate.db-wal", "x")
            unsafe unlink(place.path("etc/deskgate.db"))
            _ = try place.directory.read("etc/config.json")
            #expect(!watch.takeChanges())
        }
    }

    @Test func `a file that is still open is not ready yet`() async {
        await #expect(processExitsWith: .success) {
            let place = try WatchedPlace()
            let watch = try FileWatch(place.files())
            let descriptor = unsafe open(place.path("etc/config.json"), O_WRONLY | O_TRUNC | O_CLOEXEC)
            try File.write(Array("{".utf8), to: descriptor)
            #expect(!watch.takeChanges())
            close(descriptor)
            #expect(watch.takeChanges())
        }
    }

    /// `NAME -> ..data/NAME`, `..data -> ..2026_1`: what is replaced is the link in the middle.
    @Test func `each link on the way`() async {
        await #expect(processExitsWith: .success) {
            let place = try WatchedPlace()
            try place.directory.write("..2026_1/key", "1")
            try place.directory.write("..2026_2/key", "2")
            place.link("..data", to: "..2026_1")
            place.link("key", to: "..data/key")
            place.link("outer", to: place.path("key"))
            let real = try FileSystem.absolutePath(of: place.directory.path)
            let files = place.files("outer")
            #expect(files.names == [real: ["outer", "key", "..data"], "\(real)/..2026_1": ["key"]])
            #expect(files.files == ["\(real)/..2026_1/key"])
            let watch = try FileWatch(files)
            place.link("..data_tmp", to: "..2026_2")
            #expect(!watch.takeChanges())
            try File.rename(place.path("..data_tmp"), to: place.path("..data"))
            #expect(watch.takeChanges())
            #expect(place.files("outer") != files)
        }
    }

    @Test func `what is missing at the deepest directory that is there`() async {
        await #expect(processExitsWith: .success) {
            let place = try WatchedPlace()
            let watch = try FileWatch(place.files("etc/secrets/app/key"))
            try place.directory.write("etc/other", "")
            #expect(!watch.takeChanges())
            try place.directory.write("etc/secrets/app/key", "")
            #expect(watch.takeChanges())
            #expect(try FileWatch(place.files("etc/secrets/app/key")).takeChanges() == false)
        }
    }

    @Test func `a directory that is replaced`() throws {
        let place = try WatchedPlace()
        try place.directory.write("next/config.json", "{}")
        let watch = try FileWatch(place.files())
        try File.rename(place.path("etc"), to: place.path("former"))
        #expect(watch.takeChanges())
    }

    /// Links that lead to each other, to nowhere, upwards and out of the root.
    @Test func `unusual paths are watched`() throws {
        let place = try WatchedPlace()
        place.link("a", to: "b")
        place.link("b", to: "a")
        place.link("up", to: "etc/../../\(place.directory.path.split(separator: "/").last ?? "")/./etc//config.json")
        place.link("out", to: String(repeating: "../", count: 30) + "etc/hostname")
        let real = try FileSystem.absolutePath(of: place.directory.path)
        #expect(place.files("a").names[real]?.isSuperset(of: ["a", "b"]) == true)
        #expect(place.files("up").files == ["\(real)/etc/config.json"])
        #expect(place.files("out").names["/etc"] == ["hostname"])
        #expect(WatchedPaths(of: ["/"]).names.isEmpty)
        for name in ["a", "up", "out"] { _ = try FileWatch(place.files(name)) }
    }

    /// As a container sees a file of the host that is mounted alone: it changes in a directory that is not there.
    @Test func `a file that changes through another name`() throws {
        let place = try WatchedPlace()
        try place.directory.write("host/config.json", "{}")
        try File.remove(place.path("etc/config.json"))
        try File.link(place.path("host/config.json"), as: place.path("etc/config.json"))
        let watch = try FileWatch(place.files())
        try place.append("host/config.json", " ")
        // Perhaps only when a program that another test starts has closed its copy of the descriptor.
        #expect(eventually { watch.takeChanges() })
    }

    @Test func `says which directory is missing`() throws {
        let place = try WatchedPlace()
        let gone = place.files()
        try File.rename(place.path("etc"), to: place.path("former"))
        let failure = #expect(throws: FileWatch.Failure.self) { try FileWatch(gone) }
        #expect(failure?.description.hasSuffix("/etc: No such file or directory") == true)
        #expect(failure?.isOutdated == true)
    }
}

/// A directory with a configuration, to be watched.
private struct WatchedPlace {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("etc/config.json", "{}")
    }

    func path(_ name: String) -> String { directory.path(name) }

    func files(_ name: String = "etc/config.json") -> WatchedPaths { WatchedPaths(of: [path(name)]) }

    func link(_ name: String, to target: String) {
        unsafe symlink(target, path(name))
    }

    func append(_ name: String, _ text: String) throws {
        let descriptor = unsafe open(path(name), O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(descriptor) }
        try File.write(Array(text.utf8), to: descriptor)
    }
}
