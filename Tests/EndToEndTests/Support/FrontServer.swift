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

    let address: ListenAddress
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts it and waits until it answers.
    /// - Parameter port: where the program listens, on 127.0.0.1.
    init(_ kind: Kind, before port: UInt16) throws {
        directory = try TemporaryDirectory()
        let own = try Self.freePort()
        address = .tcp(host: "127.0.0.1", port: own)
        switch kind {
        case .nginx:
            try directory.write("nginx.conf", Self.nginx(own, port))
            process = try Self.start("/usr/sbin/nginx", "-p", directory.path, "-e", "error.log", "-c", "nginx.conf")
        case .haproxy:
            try directory.write("haproxy.cfg", Self.haproxy(own, port))
            process = try Self.start("/usr/sbin/haproxy", "-q", "-db", "-f", directory.path("haproxy.cfg"))
        }
        guard eventually({ (try? status(self.address, "/livez")) == 200 }) else { throw ChildProcess.Failure.missingOutput }
    }

    deinit {
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
            timeout connect 10s
            timeout client 10s
            timeout server 10s
        frontend public
            bind 127.0.0.1:\(own)
            http-request deny deny_status 404 if { path \(refusedPath) }
            default_backend deskgate
        backend deskgate
            server deskgate 127.0.0.1:\(port)

        """
    }

    private static func start(_ program: String, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(program, arguments.map { Array($0.utf8) }, errors: .joined)
    }

    /// A port that the system has just had to give away.
    private static func freePort() throws -> UInt16 {
        let server = try Server(.tcp(host: "127.0.0.1", port: 0), router: Router([]), settings: ServerSettings(threads: 1))
        defer { server.stop(drainMilliseconds: 0) }
        guard case .tcp(_, let port) = server.address else { throw ChildProcess.Failure.missingOutput }
        return port
    }
}
