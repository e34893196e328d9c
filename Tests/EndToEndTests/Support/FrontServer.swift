import Glibc
import HTTPServer
import TestSupport

/// A real reverse proxy in front of the program: on its own port, with all its files in a temporary directory.
final class FrontServer {
    enum Kind: CaseIterable {
        case nginx, haproxy
    }

    /// A path that it does not forward: a request for it arrives only if it has bypassed the proxy.
    static let refusedPath = "/readyz"

    /// The number of attempts to start it, each on another port: another program may use the first one.
    private static let tries = 3

    let address: ListenAddress
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts the proxy and waits until it responds.
    /// - Parameter port: the program's port on 127.0.0.1.
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

    /// Stops the proxy, which closes its connections to the program.
    func stop() {
        process.send(SIGTERM)
        _ = try? process.waitForEnd()
    }

    /// One worker with persistent connections that forwards chunks at once.
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

    /// Starts the proxy on its own port.
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
