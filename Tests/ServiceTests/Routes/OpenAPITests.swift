import Core
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// The OpenAPI document describes the served routes, and `docs/openapi.json` is a copy of it. `make test-api` verifies its contents.
@Suite struct OpenAPITests {
    private let graph: ServiceGraph
    private let document: JSONValue

    init() throws {
        graph = try ServiceFixture().graph()
        let response = InProcessClient(graph.adminRouter).send(.get, "/openapi.json")
        #expect(response.status == 200)
        document = try #require(JSONValue(parsing: Array(response.text.utf8)))
    }

    private var routes: [Route] { graph.publicRouter.routes + graph.adminRouter.routes }

    /// A route's path in OpenAPI's syntax.
    private static func path(_ path: StaticString) -> String {
        let segments = "\(path)".split(separator: "/").map { $0.first == ":" ? "/{\($0.dropFirst())}" : "/\($0)" }
        return segments.isEmpty ? "/" : segments.joined()
    }

    /// The methods and paths in the document.
    private var described: [String] {
        guard case .object(let paths)? = document["paths"] else { return [] }
        return paths.members.flatMap { path in
            guard case .object(let item) = path.value else { return [String]() }
            return item.members.map(\.key).filter { $0 != "servers" }.map { "\($0) \(path.key)" }
        }
    }

    @Test func `each route is described once and nothing else`() {
        let served = routes.flatMap { route in
            route.handlers.map { "\($0.method.token.lowercased()) \(Self.path(route.path))" }
        }
        #expect(served.count > 20)
        #expect(described.sorted() == served.sorted())
        for route in routes { #expect(Set(route.descriptions.keys) == Set(route.handlers.map(\.method)), "\(route.path)") }
    }

    /// The descriptions of a path's parameter, of a body and of statuses.
    @Test func `descriptions match their routes`() {
        for route in routes {
            let parameters = "\(route.path)".split(separator: "/").filter { $0.first == ":" }.map { String($0.dropFirst()) }
            for description in route.descriptions.values {
                #expect(description.parameters.filter { $0.place == .path }.map(\.name) == parameters, "\(route.path)")
                #expect(description.parameters.allSatisfy { $0.place != .path || $0.isRequired }, "\(route.path)")
                #expect(description.body == nil || route.bodyLimit > 0, "\(route.path)")
                #expect(Set(description.answers.map(\.status)).count == description.answers.count, "\(route.path)")
                #expect(description.answers.contains { (200..<300).contains($0.status) }, "\(route.path)")
                #expect(description.summary.last == "." && description.answers.allSatisfy { $0.text.last == "." }, "\(route.path)")
            }
        }
    }

    /// Run `make openapi` if it differs.
    @Test func `the file equals the served document`() throws {
        let bytes = try File.read("\(packageRoot)/docs/openapi.json", limit: 1 << 20).bytes
        #expect(JSONValue(parsing: bytes) == document)
    }

    /// The described kinds are those in responses, including that of a forgotten user.
    @Test func `every kind of revocation is described`() {
        let kinds = Revocation.samples(appID: "shop").map(\.kind)
        #expect(Set(kinds) == Set(Revocation.Kind.allCases))
        let path = document["paths"]?["/v1/revocations"]
        func schema(_ method: String, _ status: String) -> JSONValue? {
            path?[method]?["responses"]?[status]?["content"]?["application/json"]?["schema"]?["properties"]
        }
        let described = [schema("post", "201"), schema("get", "200")?["revocations"]?["items"]?["properties"]]
        for properties in described {
            #expect(properties?["kind"]?["enum"]?.elements.compactMap(\.text) == Revocation.Kind.allCases.map(\.rawValue))
        }
    }

    @Test func `operations have distinct names`() {
        #expect(operations.count == described.count)
    }

    @Test func `references have targets`() {
        let references = Self.values(of: "$ref", in: document)
        #expect(references.count > 20)
        for reference in references {
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
    }

    /// The members of an object; none for any other value.
    private static func members(_ value: JSONValue?) -> [(key: String, value: JSONValue)] {
        guard case .object(let object)? = value else { return [] }
        return object.members.map { ($0.key, $0.value) }
    }

    /// Each described operation by its name.
    private var operations: [String: (path: String, operation: JSONValue)] {
        var found: [String: (path: String, operation: JSONValue)] = [:]
        for path in Self.members(document["paths"]) {
            for method in Self.members(path.value) where method.key != "servers" {
                if let name = method.value["operationId"]?.text { found[name] = (path.key, method.value) }
            }
        }
        return found
    }

    /// Each link, with its operation and the schema of the response that contains it.
    private var links: [(source: JSONValue, schema: JSONValue, link: JSONValue)] {
        operations.values.flatMap { _, operation in
            Self.members(operation["responses"]).flatMap { response in
                let schema = response.value["content"]?["application/json"]?["schema"] ?? .null
                return Self.members(response.value["links"]).map { (operation, schema, $0.value) }
            }
        }
    }

    /// Whether an expression refers to a described member of the request or the response.
    private static func isKnown(_ expression: String, source: JSONValue, schema: JSONValue) -> Bool {
        let query = "$request.query."
        if expression.hasPrefix(query) {
            let name = expression.dropFirst(query.count)
            return source["parameters"]?.elements.contains { $0["in"] == "query" && $0["name"]?.text == String(name) } ?? false
        }
        let body = source["requestBody"]?["content"]?["application/json"]?["schema"] ?? .null
        for (prefix, start) in [("$response.body#/", schema), ("$request.body#/", body)] where expression.hasPrefix(prefix) {
            let names = expression.dropFirst(prefix.count).split(separator: "/")
            return names.reduce(Optional(start)) { $1 == "0" ? $0?["items"] : $0?["properties"]?[String($1)] } != nil
        }
        return false
    }

    /// Each link leads to an operation that accepts its parameters, and takes them from the request or the response.
    @Test func `links lead to requests`() throws {
        let (links, operations) = (links, operations)
        #expect(links.count > 10)
        for (source, schema, link) in links {
            let name = try #require(link["operationId"]?.text)
            let target = try #require(operations[name], "\(name)").operation
            let parameters = Self.members(link["parameters"])
            let known = Set(target["parameters"]?.elements.compactMap { $0["name"]?.text } ?? [])
            #expect(Set(parameters.map(\.key)).isSubset(of: known), "\(name)")
            let body = Self.members(link["requestBody"])
            let members = Self.members(target["requestBody"]?["content"]?["application/json"]?["schema"]?["properties"])
            #expect(Set(body.map(\.key)).isSubset(of: members.map(\.key)), "\(name)")
            #expect(!(parameters + body).isEmpty, "\(name)")
            for (_, expression) in parameters + body {
                #expect(Self.isKnown(expression.text ?? "", source: source, schema: schema), "\(name): \(expression)")
            }
        }
    }

    /// An id in a path comes from a response, so a program that follows the links reaches every such operation.
    @Test func `a link leads to each operation with an ID`() {
        let targets = Set(links.compactMap { $0.link["operationId"]?.text })
        let withID = operations.filter { $0.value.path.hasPrefix("/v1/") && $0.value.path.contains("{") }.map(\.key)
        #expect(withID.count >= 4)
        #expect(targets.isSuperset(of: withID))
    }

    /// The test above detects an expression without a target.
    @Test(arguments: ["$response.body#/calls/0/name", "$response.body#/calls/id", "$request.query.name", "$request.body#/id", "$url", ""])
    func `detects an expression without a target`(expression: String) throws {
        let source = try #require(operations["get_v1_bots_calls"]).operation
        let schema = source["responses"]?["200"]?["content"]?["application/json"]?["schema"] ?? .null
        #expect(Self.isKnown("$response.body#/calls/0/id", source: source, schema: schema))
        #expect(!Self.isKnown(expression, source: source, schema: schema))
    }

    /// The texts of all members with a name, at any depth.
    private static func values(of name: String, in value: JSONValue) -> [String] {
        switch value {
        case .object(let object):
            object.members.flatMap { ($0.key == name ? [$0.value.text].compactMap(\.self) : []) + values(of: name, in: $0.value) }
        case .array(let elements): elements.flatMap { values(of: name, in: $0) }
        default: []
        }
    }

    @Test func `names the role of each request`() {
        for route in AdminRoute.all {
            let security = document["paths"]?[Self.path(route.path)]?[route.method.token.lowercased()]?["security"]
            switch route.role {
            case .anyone: #expect(security == [])
            case .scrape: #expect(security == [[:], ["adminToken": ["read"]]])
            case .mint, .read, .operate: #expect(security == [["adminToken": [.string(route.role.rawValue)]]])
            }
        }
    }
}
