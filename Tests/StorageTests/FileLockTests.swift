import POSIX
import TestSupport
import Testing

/// What a call throws.
private func failure(_ call: () throws(SystemError) -> Void) -> SystemError? {
    do throws(SystemError) {
        try call()
        return nil
    } catch {
        return error
    }
}

@Suite struct FileLockTests {
    @Test func excludesOthersUntilItIsLetGo() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("lock")
        var lock: FileLock? = try FileLock(path)
        #expect(failure { () throws(SystemError) in _ = try FileLock(path) }?.isHeldElsewhere == true)
        withExtendedLifetime(lock) {}
        lock = nil
        lock = try FileLock(path)
        #expect(lock != nil)
    }

    @Test func saysWhyTheFileCannotBeOpened() throws {
        let directory = try TemporaryDirectory()
        #expect(failure { () throws(SystemError) in _ = try FileLock(directory.path("missing/lock")) }?.isMissing == true)
    }
}

@Suite struct FileSystemTests {
    @Test func knowsSizeAndRoom() throws {
        let directory = try TemporaryDirectory()
        try File.create(directory.path("file"), mode: 0o600, [1, 2, 3])
        #expect(try FileSystem.size(of: directory.path("file")) == 3)
        #expect(try FileSystem.freeBytes(at: directory.path) > 0)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.size(of: directory.path("missing")) }?.isMissing == true)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.freeBytes(at: directory.path("missing")) }?.isMissing == true)
    }
}
