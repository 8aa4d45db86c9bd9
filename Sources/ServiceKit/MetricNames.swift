/// What each figure means, for the `HELP` lines and `docs/operations.md`.
package enum MetricNames {
    package static let all: [String: String] = [
        "resonance_messages_sent_total": "Messages that the process has sent, by delivery class.",
        "resonance_messages_received_total": "Messages that the process has received, by delivery class.",
        "resonance_messages_dropped_total": "Messages lost or refused at the process, by cause.",
        "resonance_queue_messages": "Messages that wait in the process now, by queue.",
        "resonance_loop_lag_seconds": "How long the last tick waited for the main loop.",
        "resonance_process_up": "1 when the hub hears the process, 0 when it is silent or gone.",
        "resonance_process_ready": "1 when the process has run its start-up.",
        "resonance_process_silent_seconds": "Seconds since the hub last heard the process.",
        "resonance_process_restarts_total": "Starts of the process after the first.",
        "resonance_process_wanted": "1 when the supervisor keeps the process running.",
        "resonance_process_given_up": "1 when the supervisor has stopped restarting the process.",
        "resonance_topics_silent": "Topics of the process that are overdue by the registry.",
        "resonance_build_info": "1, with the version of the process.",
        "resonance_visitors": "Command line tools on the bus now.",
        "process_cpu_seconds_total": "Processor time of the process, user and system.",
        "process_resident_memory_bytes": "Resident memory of the process.",
        "process_start_time_seconds": "Unix time at which the process started.",
        "process_open_fds": "Open file descriptors of the process.",
    ]

    package static func help(_ name: String) -> String { all[name] ?? "A figure of the process's own." }
}
