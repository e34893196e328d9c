internal import JSON

/// Payloads of conditions as JSON objects, except those of `ExpiringCredential`, `DenialTrend.Spike` and problems.
package enum OperatorPayload {
    package static func pausedNotifier(
        _ name: String, reason: String, explanation: String, remedy: String, waiting: Int
    ) -> [UInt8] {
        let data: JSONValue = [
            "notifier": .string(name), "reason": .string(reason), "explanation": .string(explanation), "remedy": .string(remedy),
            "waiting": .integer(Int64(waiting)),
        ]
        return data.serialized()
    }

    /// - Parameter oldestSeconds: the age of the oldest delivery.
    package static func lateQueue(
        ofNotifier name: String, waiting: Int, oldestSeconds: UInt64, text: String, remedy: String
    ) -> [UInt8] {
        let data: JSONValue = [
            "notifier": .string(name), "waiting": .integer(Int64(waiting)), "oldest_seconds": .integer(Int64(clamping: oldestSeconds)),
            "text": .string(text), "remedy": .string(remedy),
        ]
        return data.serialized()
    }

    /// - Parameter name: the data on the file system, such as `store`.
    package static func lowDisk(_ name: String, freeBytes: UInt64, sizeBytes: UInt64, thresholdBytes: Int64) -> [UInt8] {
        let data: JSONValue = [
            "disk": .string(name), "free_bytes": .integer(Int64(clamping: freeBytes)), "size_bytes": .integer(Int64(clamping: sizeBytes)),
            "threshold_bytes": .integer(thresholdBytes),
        ]
        return data.serialized()
    }
}
