internal import Threading

/// Waits until `condition` holds, for what nobody signals.
/// - Returns: false when it still did not after 20 seconds, which only a failing test reaches.
package func eventually(_ condition: () -> Bool) -> Bool {
    let pause = Monitor(())
    for _ in 0..<4000 {
        if condition() { return true }
        _ = pause.wait(timeoutMilliseconds: 5) { _ in nil as Void? }
    }
    return condition()
}
