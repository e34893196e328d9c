import Core
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

@testable import Configuration
@testable import Operators
@testable import Service

/// The OpenAPI document describes the routes that are served, and `docs/openapi.json` is a copy of it. `make test-api` proves what it says.
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

    /// A route's path as OpenAPI writes it.
    private static func path(_ path: StaticString) -> String {
        let segments = "\(path)".split(separator: "/").map { $0.first == ":" ? "/{\($0.dropFirst())}" : "/\($0)" }
        return segments.isEmpty ? "/" : segments.joined()
    }

    /// The methods and paths that the document describes.
    private var described: [String] {
        guard case .object(let paths)? = document["paths"] else { return [] }
        return paths.members.flatMap { path in
            guard case .object(let item) = path.value else { return [String]() }
            return item.members.map(\.key).filter { $0 != "servers" }.map { "\($0) \(path.key)" }
        }
    }

    @Test func eachRouteIsDescribedOnceAndNothingElse() {
        let served = routes.flatMap { route in
            route.handlers.map { "\($0.method.token.lowercased()) \(Self.path(route.path))" }
        }
        #expect(served.count > 20)
        #expect(described.sorted() == served.sorted())
        for route in routes { #expect(Set(route.descriptions.keys) == Set(route.handlers.map(\.method)), "\(route.path)") }
    }

    /// What a description says of a path's parameter, of a body and of statuses.
    @Test func descriptionsFitTheirRoutes() {
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

    /// Run `make openapi` when it differs.
    @Test func theFileIsWhatIsServed() throws {
        let bytes = try File.read("\(packageRoot)/docs/openapi.json", limit: 1 << 20).bytes
        #expect(JSONValue(parsing: bytes) == document)
    }

    /// The kinds that are answered, that of a forgotten user among them, are those that are described.
    @Test func everyKindOfRevocationIsDescribed() {
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

    @Test func operationsHaveNamesOfTheirOwn() {
        let names = Self.values(of: "operationId", in: document)
        #expect(Set(names).count == names.count && names.count == described.count)
    }

    @Test func referencesLeadSomewhere() {
        let references = Self.values(of: "$ref", in: document)
        #expect(references.count > 20)
        for reference in references {
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
    }

    /// The texts of all members with a name, however deep.
    private static func values(of name: String, in value: JSONValue) -> [String] {
        switch value {
        case .object(let object):
            object.members.flatMap { ($0.key == name ? [$0.value.text].compactMap(\.self) : []) + values(of: name, in: $0.value) }
        case .array(let elements): elements.flatMap { values(of: name, in: $0) }
        default: []
        }
    }

    @Test func namesTheRoleOfEachRequest() {
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
