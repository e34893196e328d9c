internal import Observability
internal import POSIX

/// The process metrics, with the names that Prometheus' own clients use.
enum ProcessMetrics {
    /// Registers them; a value that the system does not provide is 0.
    static func register(in registry: MetricsRegistry) {
        registry.counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.") { ProcessUsage.cpuSeconds }
        registry.gauge("process_resident_memory_bytes", "Resident memory size in bytes.") {
            Double(ProcessUsage.current?.residentBytes ?? 0)
        }
        registry.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.") {
            Double(ProcessUsage.current?.virtualBytes ?? 0)
        }
        registry.gauge("process_threads", "Number of threads.") { Double(ProcessUsage.current?.threads ?? 0) }
        registry.gauge("process_open_fds", "Number of open file descriptors.") { Double(ProcessUsage.openDescriptors) }
        registry.gauge("process_max_fds", "Maximum number of open file descriptors.") { Double(ProcessUsage.descriptorLimit) }
        let start = ProcessUsage.startUnixSeconds ?? 0
        registry.gauge("process_start_time_seconds", "Start time of the process since the Unix epoch, in seconds.") { start }
    }
}
