import Glibc
import POSIX
import TestSupport
import Testing

/// The detected changes of files. The kernel reports a change before the system call returns, so nothing waits here.
///
/// A test that a change is not reported, or not yet, runs in a process of its own. Otherwise a program that another test starts would
/// briefly have the same file open for writing, and the kernel reports the end of writing only after that.
@Suite struct FileWatchTests {
    @Test func `detects writing, renaming, removing and touching`() async {
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

    /// By default the store's database is in the directory of the configuration, and is written continuously.
    @Test func `ignores other files in the directory`() async {
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

    @Test func `ignores a file that is still open for writing`() async {
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

    /// `NAME -> ..data/NAME`, `..data -> ..2026_1`: the link in the middle is replaced.
    @Test func `follows each symbolic link on the path`() async {
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

    @Test func `watches the deepest existing directory for a missing file`() async {
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

    @Test func `detects a replaced directory`() throws {
        let place = try WatchedPlace()
        try place.directory.write("next/config.json", "{}")
        let watch = try FileWatch(place.files())
        try File.rename(place.path("etc"), to: place.path("former"))
        #expect(watch.takeChanges())
    }

    /// Symbolic links in a loop, to a missing file, upwards and above the root.
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

    /// A file of the host that is mounted alone into a container changes in a directory that the container does not have.
    @Test func `detects a change through another name`() throws {
        let place = try WatchedPlace()
        try place.directory.write("host/config.json", "{}")
        try File.remove(place.path("etc/config.json"))
        try File.link(place.path("host/config.json"), as: place.path("etc/config.json"))
        let watch = try FileWatch(place.files())
        try place.append("host/config.json", " ")
        // It may be reported only after a program that another test starts has closed its copy of the descriptor.
        #expect(eventually { watch.takeChanges() })
    }

    @Test func `reports the missing directory`() throws {
        let place = try WatchedPlace()
        let gone = place.files()
        try File.rename(place.path("etc"), to: place.path("former"))
        let failure = #expect(throws: FileWatch.Failure.self) { try FileWatch(gone) }
        #expect(failure?.description.hasSuffix("/etc: No such file or directory") == true)
        #expect(failure?.isOutdated == true)
    }
}

/// A watched directory with a configuration.
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
