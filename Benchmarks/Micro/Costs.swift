/// The measurements, with their targets.
struct Costs {
    private static let widths = [36, 8, 11, 11]

    /// Verifying a key: the complete `Authorizer.decide`.
    let valid: Cost
    /// A request from matching its path to its response, with a JSON body.
    let jsonHandler: Cost
    /// The same with a form.
    let formHandler: Cost
    let others: [Cost]

    /// The lines of a Markdown table, padded so that it is also readable as plain text.
    var table: [String] {
        let rule = Self.widths.enumerated().map { String(repeating: "-", count: $1 + 1) + ($0 == 0 ? "-" : ":") }.joined(separator: "|")
        let rows = (others + [valid, jsonHandler, formHandler]).map { cost in
            [
                cost.name, tenths(cost.nanoseconds), shown(cost.allocations?.own), shown(cost.allocations?.libraries),
            ]
        }
        return [line(["operation", "ns", "own allocs", "lib. allocs"]), "|\(rule)|"] + rows.map(line)
    }

    var targets: [Target] {
        let verification = valid.nanoseconds / 1000
        return [Target("verifying a key <= 5 us: \(tenths(verification)) us", isKept: verification <= 5)]
            + [valid, jsonHandler, formHandler].map { cost in
                let own = cost.allocations?.own
                return Target("own allocations of \(cost.name) = 0: \(shown(own))", isKept: own.map { $0 == 0 })
            }
    }

    private func shown(_ count: Double?) -> String {
        count.map(tenths) ?? "not counted"
    }

    private func tenths(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }

    private func line(_ cells: [String]) -> String {
        let padded = zip(cells, Self.widths).enumerated().map { index, column in
            let (cell, width) = column
            let space = String(repeating: " ", count: max(0, width - cell.count))
            return index == 0 ? cell + space : space + cell
        }
        return "| \(padded.joined(separator: " | ")) |"
    }
}
