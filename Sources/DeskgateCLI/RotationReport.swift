internal import Core
internal import JSON

/// The output of `secret rotate`: the step, its result, and the next step.
struct RotationReport {
    enum Outcome {
        case due
        case done(secretFile: String?)
        case waits(RotationStatus.Obstacle)
    }

    let app: String
    let step: KeyRotation.Step
    let unusedDays: UInt64
    var outcome = Outcome.due

    var text: String {
        let title = "\(AdminText.text(.string(app))), step \(number) of 3"
        switch outcome {
        case .due: return "\(title): \(plan). It can be done now, with --apply."
        case .waits(let obstacle): return "\(title): \(plan). It must wait: \(obstacle.message)."
        case .done(let file): return "\(title) is done: \(result)\(file.map { " (secret: \($0))" } ?? "").\nNext: \(next)."
        }
    }

    func json(_ rotation: RotationStatus) -> JSONValue {
        var (status, reason, message, file) = ("due", JSONValue.null, JSONValue.string(plan), JSONValue.null)
        switch outcome {
        case .due: break
        case .waits(let obstacle): (status, reason, message) = ("waits", .string(obstacle.word), .string(obstacle.message))
        case .done(let made):
            (status, message) = ("done", .string(next))
            file = made.map { .string($0) } ?? .null
        }
        return [
            "app_id": .string(app), "step": .string(step.name), "key_id": .integer(Int64(step.keyID)), "status": .string(status),
            "reason": reason, "message": message, "secret_file": file,
            "processes": .array(
                rotation.processes.map {
                    ["name": .string($0.name), "keys_digest": $0.keysDigest.map { .string($0) } ?? .null]
                }),
        ]
    }

    private var number: Int {
        switch step {
        case .add: 1
        case .activate: 2
        case .retire: 3
        }
    }

    private var plan: String {
        switch step {
        case .add(let id): "add key \(id), which only verifies at first"
        case .activate(let id): "make key \(id) the active one; all others then only verify"
        case .retire(let id): "remove key \(id)"
        }
    }

    private var result: String {
        switch step {
        case .add(let id): "key \(id) was added and only verifies"
        case .activate(let id): "key \(id) is the active one, and all others only verify"
        case .retire(let id): "key \(id) was removed; its secret can be deleted"
        }
    }

    private var next: String {
        switch step {
        case .add(let id): "\(LocalizedText.reload.english) on every replica, then run this again to make key \(id) the active one"
        case .activate(let id):
            "\(LocalizedText.reload.english) on every replica, and give the secret of key \(id) to backends that mint keys themselves; "
                + "when the old key has not been used for \(unusedDays) days, run this again to remove it"
        case .retire: "\(LocalizedText.reload.english) on every replica; with that the rotation ends, and another run begins a new one"
        }
    }
}
