import AFCPlatform

/// The memory pressure of a control group (Linux, version 2) at one point in time.
package struct GroupPressure: Sendable, Equatable {
    /// The number of times that the group was slowed down because it exceeded `memory.high`.
    package var throttled: Int64 = 0
    /// The number of times that the group was about to exceed `memory.max`, or that one of its processes was killed.
    package var limited: Int64 = 0
    /// The share of the last ten seconds in which some task waited for memory, in percent.
    package var stalled = 0.0

    /// Creates a state without pressure.
    package init() {}

    /// Reads a state from the contents of `memory.events` and of `memory.pressure`; what is missing counts as none.
    package init(events: String, pressure: String) {
        for line in events.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Int64(words[1]), count >= 0 else { continue }
            switch words[0] {
            case "high": throttled = count
            case "max", "oom", "oom_kill": limited = limited.addingReportingOverflow(count).partialValue
            default: continue
            }
        }
        for line in pressure.split(separator: "\n") where line.hasPrefix("some ") {
            for word in line.split(separator: " ") where word.hasPrefix("avg10=") {
                if let share = Double(word.dropFirst(6)), share.isFinite { stalled = share }
            }
        }
    }
}

/// The files from which the memory pressure of a control group is read.
package struct GroupPressureFiles: Sendable, Equatable {
    /// The file with the counts of events.
    package var events: String
    /// The file with the shares of time.
    package var pressure: String

    /// Creates the files in a folder.
    package init(folder: String) {
        events = folder + "/memory.events"
        pressure = folder + "/memory.pressure"
    }

    /// Returns the files of the control group of this process; if it isn't in one, those of the whole system.
    package static func ofThisProcess() -> GroupPressureFiles {
        let groups = SystemMemory.text(ofFile: "/proc/self/cgroup") ?? ""
        let group = groups.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? ""
        var files = GroupPressureFiles(folder: "/sys/fs/cgroup" + (group == "/" ? "" : group))
        // In a container, the path may be the host's, and the root its own.
        if !Descriptor.allows(files.events, R_OK) { files = GroupPressureFiles(folder: "/sys/fs/cgroup") }
        if !Descriptor.allows(files.pressure, R_OK) { files.pressure = "/proc/pressure/memory" }
        return files
    }

    /// Reads the present state; a file that can't be read counts as no pressure.
    package func read() -> GroupPressure {
        GroupPressure(
            events: SystemMemory.text(ofFile: events) ?? "",
            pressure: SystemMemory.text(ofFile: pressure) ?? ""
        )
    }
}
