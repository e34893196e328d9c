import Glibc
import HTTPServer
import TestSupport

/// A real reverse proxy before the program, as operators run one: on a port of its own, with all its files in a temporary directory.
final class FrontServer {
    enum Kind: CaseIterable {
        case nginx, haproxy
    }

    /// What it passes to nobody: a request for this arrives only if the proxy has not seen it.
    static let refusedPath = "/readyz"

    /// How often it is started, each time on another port: somebody else may have one.
    private static let tries = 3

    let address: ListenAddress
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts it and waits until it answers.
    /// - Parameter port: where the program listens, on 127.0.0.1.
    init(_ kind: Kind, before port: UInt16) throws {
        directory = try TemporaryDirectory()
        for _ in 1..<Self.tries {
            if let (process, address) = try? Self.start(kind, before: port, in: directory) {
                (self.process, self.address) = (process, address)
                return
            }
        }
        (process, address) = try Self.start(kind, before: port, in: directory)
    }

    deinit {
        stop()
    }

    /// Ends it, and with it its connections to the program.
    func stop() {
        process.send(SIGTERM)
        _ = try? process.waitForEnd()
    }

    /// One worker, which keeps its connections and passes chunks on as they come.
    private static func nginx(_ own: UInt16, _ port: UInt16) -> String {
        """
        daemon off; master_process off; pid nginx.pid;
        events {}
        http {
            access_log off;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
            upstream deskgate { server 127.0.0.1:\(port); keepalive 4; }
            server {
                listen 127.0.0.1:\(own);
                location = \(refusedPath) { return 404; }
                location / {
                    proxy_pass http://deskgate; proxy_http_version 1.1; proxy_set_header Connection "";
                    proxy_request_buffering off;
                }
            }
        }
        """
    }

    private static func haproxy(_ own: UInt16, _ port: UInt16) -> String {
        """
        global
            maxconn 100
        defaults
            mode http
            http-reuse always
            timeout connect 60s
            timeout client 60s
            timeout server 60s
        frontend public
            bind 127.0.0.1:\(own)
            http-request deny deny_status 404 if { path \(refusedPath) }
            default_backend deskgate
        backend deskgate
            server deskgate 127.0.0.1:\(port)

        """
    }

    /// Starts it on a port of its own.
    private static func start(
        _ kind: Kind, before port: UInt16, in directory: TemporaryDirectory
    ) throws -> (ChildProcess, ListenAddress) {
        let own = try freePort()
        let process: ChildProcess
        switch kind {
        case .nginx:
            try directory.write("nginx.conf", nginx(own, port))
            process = try start("/usr/sbin/nginx", "-p", directory.path, "-e", "error.log", "-c", "nginx.conf")
        case .haproxy:
            try directory.write("haproxy.cfg", haproxy(own, port))
            process = try start("/usr/sbin/haproxy", "-q", "-db", "-f", directory.path("haproxy.cfg"))
        }
        let address = ListenAddress.tcp(host: "127.0.0.1", port: own)
        let isUp = eventually { !process.isRunning || (try? status(address, "/livez")) == 200 }
        guard isUp, process.isRunning else { throw ChildProcess.Failure.missingOutput }
        return (process, address)
    }

    private static func start(_ program: String, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(program, arguments.map { Array($0.utf8) }, errors: .joined)
    }
}
