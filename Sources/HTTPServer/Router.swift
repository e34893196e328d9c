internal import Bytes

/// Finds the handler for a path and a method. Immutable.
package final class Router: Sendable {
    /// The result of a match.
    package enum Match: Sendable {
        /// The handler of the route at this index, with the largest body in bytes that it accepts.
        case handler(Endpoint, route: Int, bodyLimit: Int)
        /// A response of the server itself. The index is that of the route whose path matched, or `unmatched`.
        case response(Response, route: Int)
    }

    /// The index for a request that matches no route.
    package static let unmatched = -1

    /// The routes in the order of their indices.
    package let routes: [Route]
    private let entries: [Entry]
    private let owners: [Endpoint.Owner]
    private let methodNotAllowed: [Response]
    // Checked only if no plain path matches, so that a parameter never hides one.
    private let parameterRoutes: [Int]

    /// Builds the router; traps on two routes with the same path.
    package init(_ routes: [Route]) {
        let paths = routes.map { "\($0.path)" }
        precondition(Set(paths).count == paths.count, "a path has one route")
        self.routes = routes
        parameterRoutes = routes.indices.filter { routes[$0].hasParameter }
        methodNotAllowed = routes.map { StandardResponse.methodNotAllowed($0.allowed) }
        var owners: [Endpoint.Owner] = []
        entries = routes.map { route in
            Entry(route) { handler in
                owners.append(Endpoint.Owner(handler, admission: route.admission))
                return Endpoint(owners[owners.count - 1])
            }
        }
        self.owners = owners
    }

    /// Finds the match for a request's method and path. The result must not outlive the router.
    package func match(_ method: Method, path: Span<UInt8>) -> Match {
        for index in entries.indices where entries[index].parameterPrefix == nil && path.equals(entries[index].path) {
            return match(method, route: index)
        }
        for index in parameterRoutes where routes[index].matches(path) {
            return match(method, route: index)
        }
        return .response(StandardResponse.notFound, route: Self.unmatched)
    }

    /// The bytes of a path at the parameter of its matching route; empty when that route has none.
    package func parameter(of path: UnsafeBufferPointer<UInt8>, route index: Int) -> UnsafeBufferPointer<UInt8> {
        guard let start = entries[index].parameterPrefix else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        return path.extracting(start..<path.count - entries[index].parameterSuffix)
    }

    private func match(_ method: Method, route index: Int) -> Match {
        guard let endpoint = entries[index].endpoints[method.rawValue] else {
            return .response(methodNotAllowed[index], route: index)
        }
        return .handler(endpoint, route: index, bodyLimit: entries[index].bodyLimit)
    }
}

extension Router {
    /// The data of a route for matching, without reference-counted values.
    private struct Entry {
        let path: StaticString
        let bodyLimit: Int
        /// How many bytes come before the parameter; nil for a plain path.
        let parameterPrefix: Int?
        /// How many bytes follow the parameter.
        let parameterSuffix: Int
        /// Indexed by the method's raw value.
        let endpoints: InlineArray<7, Endpoint?>

        init(_ route: Route, _ makeEndpoint: (@escaping Handler) -> Endpoint) {
            path = route.path
            bodyLimit = route.bodyLimit
            parameterPrefix = route.prefixCount
            parameterSuffix = route.suffixCount
            endpoints = InlineArray { number in
                Method(rawValue: number).flatMap { route.handler(for: $0) }.map(makeEndpoint)
            }
        }
    }
}
