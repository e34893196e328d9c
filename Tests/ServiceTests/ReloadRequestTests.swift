import Glibc
import Testing

@testable import POSIX

/// The way of a reload's outcome to the process that asked for it.
@Suite struct ReloadRequestTests {
    /// When it waits no longer, another process may take the name of its socket, which everybody on the machine can see.
    @Test func `an outcome goes to no other process than the one that has sent the signal`() throws {
        let request = try ReloadRequest(to: getpid())
        let (own, other) = (ReloadSender(process: getpid(), number: request.number), ReloadSender(process: 1, number: request.number))
        #expect(ReloadReply(to: own) != nil)
        #expect(ReloadReply(to: other) == nil)
        withExtendedLifetime(request) {}
    }

    /// SIGHUP would end the process that runs the tests.
    @Test func `a process shows whether it waits for the signal`() {
        #expect(Process.isOfThisProgram(getpid()) == true)
        #expect(Process.blocksHangup(getpid()) == false)
    }

    /// No process has this number (pid_max in proc(5)).
    @Test func `a process that is not seen shows nothing`() {
        #expect(Process.isOfThisProgram(4_194_304) == nil)
        #expect(Process.blocksHangup(4_194_304) == nil)
    }

    @Test func `nothing is sent when nobody waits`() throws {
        let number = try ReloadRequest(to: getpid()).number
        #expect(ReloadReply(to: ReloadSender(process: getpid(), number: number)) == nil)
    }
}
