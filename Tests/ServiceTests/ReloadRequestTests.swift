import Glibc
import TestSupport
import Testing

@testable import POSIX

/// The return of a reload's outcome to the process that requested it.
@Suite struct ReloadRequestTests {
    /// After the wait, another process may take the name of its socket, which is public on the machine.
    @Test func `an outcome is sent only to the process that sent the signal`() throws {
        let request = try ReloadRequest(to: getpid())
        let (own, other) = (ReloadSender(process: getpid(), number: request.number), ReloadSender(process: 1, number: request.number))
        #expect(ReloadReply(to: own) != nil)
        #expect(ReloadReply(to: other) == nil)
        withExtendedLifetime(request) {}
    }

    @Test func `connections of other processes do not end the wait for the signalled process`() throws {
        let request = try ReloadRequest(to: getpid())
        let program = """
            use Socket; $| = 1;
            for (1..3) {
                socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die;
                connect($socket, pack_sockaddr_un("\\0deskgate-reload-$ARGV[0]")) or die;
                push @sockets, $socket;
            }
            print "connected\\n"; sleep 1000
            """
        let strangers = try ChildProcess("perl", ["-e", program, "\(request.number)"].map { Array($0.utf8) })
        _ = try strangers.output.line(containing: "connected")
        let reply = try #require(ReloadReply(to: ReloadSender(process: getpid(), number: request.number)))
        let connection = try #require(request.connection(timeoutMilliseconds: Int64(WaitLimit.milliseconds)))
        close(connection)
        withExtendedLifetime((reply, strangers)) {}
    }

    @Test func `a process name has no control characters`() throws {
        let program = #"$| = 1; $0 = "a\e[31mb"; print "named\n"; sleep 1000"#
        let other = try ChildProcess("perl", ["-e", program].map { Array($0.utf8) })
        _ = try other.output.line(containing: "named")
        #expect(Process.name(of: other.identifier) == "a?[31mb")
    }

    /// SIGHUP would end the test process.
    @Test func `a process shows whether it handles the signal`() {
        #expect(Process.isOfThisProgram(getpid()) == true)
        #expect(Process.blocksHangup(getpid()) == false)
    }

    /// No process has this number (pid_max in proc(5)).
    @Test func `an unknown process shows nothing`() {
        #expect(Process.isOfThisProgram(4_194_304) == nil)
        #expect(Process.blocksHangup(4_194_304) == nil)
    }

    @Test func `no outcome is sent without a waiting process`() throws {
        let number = try ReloadRequest(to: getpid()).number
        #expect(ReloadReply(to: ReloadSender(process: getpid(), number: number)) == nil)
    }
}
