internal import Bytes

/// Finds the handler for a path and a method. Immutable.
package final class Router: Sendable {
    package enum Match: Sendable {
        /// The handler of the route at this index, with the maximum body size in bytes.
        case handler(Endpoint, route: Int, bodyLimit: Int)
        /// A standard response of the server. The index is that of the route whose path matched, or `unmatched`.
        case response(Response, route: Int)
    }

    /// The index for a request that matches no route.
    package static let unmatched = -1

    /// The routes in the order of their indices.
    package let routes: [Route]
    private let entries: [Entry]
    private let owners: [Endpoint.Owner]
    private let methodNotAllowed: [Response]
    // Checked only if no fixed path matches, so that a parameter never hides one.
    private let parameterRoutes: [Int]

    /// Builds the router; traps on two routes with the same path.
    package init(_ routes: [Route]) {
        let paths = routes.map { "\($0.path)" }
        precondition(Set(paths).count == paths.count, "a path has one route")
        self.routes = routes
        parameterRoutes = routes.indices.filter { routes[$0].pattern.parameterCount > 0 }
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
        for index in entries.indices where entries[index].pattern.parameterCount == 0 && path.equals(entries[index].path) {
            return match(method, route: index)
        }
        for index in parameterRoutes where entries[index].pattern.ranges(in: path) != nil {
            return match(method, route: index)
        }
        return .response(StandardResponse.notFound, route: Self.unmatched)
    }

    /// The bytes of a path that match the parameters of its route.
    package func parameters(of path: UnsafeBufferPointer<UInt8>, route index: Int) -> PathParameters {
        entries[index].pattern.parameterCount == 0 ? .none : unsafe PathParameters(of: path, entries[index].pattern)
    }

    private func match(_ method: Method, route index: Int) -> Match {
        guard let endpoint = entries[index].endpoints[method.rawValue] else {
            return .response(methodNotAllowed[index], route: index)
        }
        return .handler(endpoint, route: index, bodyLimit: entries[index].bodyLimit)
    }
}

extension Router {
    /// The data of a route that matching needs, without reference-counted values.
    private struct Entry {
        let path: StaticString
        let bodyLimit: Int
        let pattern: PathPattern
        /// Indexed by the method's raw value.
        let endpoints: InlineArray<7, Endpoint?>

        init(_ route: Route, _ makeEndpoint: (@escaping Handler) -> Endpoint) {
            path = route.path
            bodyLimit = route.bodyLimit
            pattern = route.pattern
            endpoints = InlineArray { number in
                Method(rawValue: number).flatMap { route.handler(for: $0) }.map(makeEndpoint)
            }
        }
    }
}
