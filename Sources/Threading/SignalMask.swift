internal import Glibc

/// Runs `body` with all signals blocked on this thread: threads that it starts inherit that, so that only the main thread takes signals.
package func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var everySignal = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&everySignal)
    unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}
