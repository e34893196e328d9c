import Testing

@testable import HTTPServer

@Suite struct RouterTests {
    private let router = Router([
        Route("/a", bodyLimit: 7, [(.get, answer), (.post, answer)]), Route("/a/b", [(.delete, answer)]),
        Route("/caf\u{e9}", [(.get, answer)]), Route("/p/:name", bodyLimit: 9, [(.post, answer)]), Route("/p/plain", [(.get, answer)]),
        Route("/q/:name/again", [(.post, answer)]), Route("/q/x/again", [(.post, answer)]),
        Route("/r/:name/s/:other", bodyLimit: 5, [(.post, answer)]), Route("/:first/:second/t", [(.post, answer)]),
    ])

    @Test(arguments: [
        (Method.get, "/a", 0), (.head, "/a", 0), (.post, "/a", 0), (.delete, "/a/b", 1), (.get, "/caf\u{e9}", 2),
    ])
    func `finds handlers`(method: HTTPServer.Method, path: String, expected: Int) throws {
        guard case .handler(_, let route, let limit) = match(method, path) else { throw Unexpected() }
        #expect(route == expected)
        #expect(limit == router.routes[expected].bodyLimit)
    }

    @Test(arguments: ["", "/", "a", "/A", "/a/", "//a", "/a/b/", "/a%2fb", "/cafe\u{301}", "/a\u{0}", "/a?"])
    func `compares paths as bytes`(path: String) throws {
        guard case .response(let response, let route) = match(.get, path) else { throw Unexpected() }
        #expect(response.status == 404)
        #expect(route == Router.unmatched)
    }

    @Test(arguments: [
        ("/p/x", 3, "x"), ("/p/:name", 3, ":name"), ("/p/plai", 3, "plai"), ("/p/plain2", 3, "plain2"), ("/p/%2f", 3, "%2f"),
        ("/p/ ", 3, " "), ("/p/caf\u{e9}", 3, "caf\u{e9}"), ("/q/y/again", 5, "y"), ("/q/again/again", 5, "again"),
    ])
    func `passes the parameter`(path: String, expected: Int, parameter: String) throws {
        guard case .handler(_, let route, let limit) = match(.post, path) else { throw Unexpected() }
        #expect(route == expected)
        #expect(limit == router.routes[expected].bodyLimit)
        #expect(parameters(path, route) == [parameter, ""])
    }

    @Test(arguments: [
        ("/r/a/s/b", 7, ["a", "b"]), ("/r/s/s/s", 7, ["s", "s"]), ("/r/%2f/s/%2f", 7, ["%2f", "%2f"]), ("/r/:/s/..", 7, [":", ".."]),
        ("/x/y/t", 8, ["x", "y"]), ("/r/s/t", 8, ["r", "s"]), ("/t/t/t", 8, ["t", "t"]),
    ])
    func `passes two parameters`(path: String, expected: Int, values: [String]) throws {
        guard case .handler(_, let route, let limit) = match(.post, path) else { throw Unexpected() }
        #expect(route == expected)
        #expect(limit == router.routes[expected].bodyLimit)
        #expect(parameters(path, route) == values)
    }

    @Test func `passes no parameter of a plain path`() {
        #expect(parameters("/a", 0) == ["", ""])
    }

    @Test(arguments: [("/r/x", "x"), ("/r/x/y", "x/y"), ("/r//", "/"), ("/r/*", "*")])
    func `passes the rest of the path`(path: String, parameter: String) throws {
        let router = Router([Route("/r/*", [(.get, answer)]), Route("/r/plain", [(.get, answer)])])
        let bytes = Array(path.utf8)
        guard case .handler(_, let route, _) = router.match(.get, path: bytes.span) else { throw Unexpected() }
        #expect(route == 0)
        let found = unsafe bytes.withUnsafeBufferPointer { unsafe Array(router.parameters(of: $0, route: route).values.0) }
        #expect(found == Array(parameter.utf8))
        for other in ["/r", "/r/", "/x"] {
            guard case .response = router.match(.get, path: Array(other.utf8).span) else { throw Unexpected() }
        }
        guard case .handler(_, 1, _) = router.match(.get, path: Array("/r/plain".utf8).span) else { throw Unexpected() }
    }

    @Test func `prefers a plain path to a parameter`() throws {
        guard case .handler(_, let route, _) = match(.get, "/p/plain") else { throw Unexpected() }
        #expect(route == 4)
        guard case .response(let response, let refused) = match(.post, "/p/plain") else { throw Unexpected() }
        #expect(response.status == 405)
        #expect(refused == 4)
    }

    @Test(arguments: [
        "/p", "/p/", "/p/x/", "/p/x/y", "/p//x", "/P/x", "/q/x", "p/x", "//p/x", "/q/y", "/q/y/", "/q/y/Again", "/q/y/again/",
        "/q//again", "/q/again", "/q/y/z/again", "/q/yagain", "/r/a/s/", "/r//s/b", "/r/a/s", "/r/a/b/s/c", "/r/a/s/b/", "/r/a/s/b/c",
        "/x/y/tt",
        "/x/y/", "//y/t", "/x//t", "/t/t",
    ])
    func `does not treat another path as a parameter`(path: String) throws {
        guard case .response(let response, let route) = match(.post, path) else { throw Unexpected() }
        #expect(response.status == 404)
        #expect(route == Router.unmatched)
    }

    @Test(arguments: [(Method.delete, "/a", "GET, HEAD, POST", 0), (.other, "/a", "GET, HEAD, POST", 0), (.head, "/a/b", "DELETE", 1)])
    func `lists the methods of a path`(method: HTTPServer.Method, path: String, allowed: String, expected: Int) throws {
        guard case .response(let response, let route) = match(method, path) else { throw Unexpected() }
        #expect(response.status == 405)
        #expect(response.headers.first { $0.name == "Allow" }?.value == allowed)
        #expect(route == expected)
    }

    @Test(arguments: [
        ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("DELETE", .delete), ("get", .other), ("GET ", .other), ("", .other),
        ("PUT", .put), ("PATCH", .patch), ("TRACE", .other), ("GETT", .other),
    ])
    func `parses methods`(token: String, expected: HTTPServer.Method) {
        let bytes = Array(token.utf8)
        #expect(Method(token: bytes.span) == expected)
    }

    private func parameters(_ path: String, _ route: Int) -> [String] {
        unsafe Array(path.utf8).withUnsafeBufferPointer { bytes in
            let (first, second) = unsafe router.parameters(of: bytes, route: route).values
            return unsafe [first, second].map { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    private func match(_ method: HTTPServer.Method, _ path: String) -> Router.Match {
        let bytes = Array(path.utf8)
        return router.match(method, path: bytes.span)
    }

    private struct Unexpected: Error {}
}

private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
    responder.respond(StandardResponse.notFound)
}
