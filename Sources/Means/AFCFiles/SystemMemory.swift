import AFCPlatform

/// The memory of the system.
package enum SystemMemory {
    /// The bytes that this process may use: the machine's memory, or the lower limit of a control group; nil if unknown.
    package static var size: Int64? {
        let (pages, pageSize) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        let machine = pages > 0 && pageSize > 0 ? Int64(pages) * Int64(pageSize) : nil
        #if os(Linux)
        let limits = groupLimitFiles(text(ofFile: "/proc/self/cgroup") ?? "")
            .compactMap { text(ofFile: $0) }
            .compactMap(limit)
        return (limits + [machine].compactMap(\.self)).min()
        #else
        return machine
        #endif
    }

    /// Returns the files with the limits of the control groups that a process belongs to, of version 2 and 1.
    ///
    /// - Parameter groups: The contents of `/proc/self/cgroup`.
    /// - Returns: The paths, each group's before those of the groups above it.
    static func groupLimitFiles(_ groups: String) -> [String] {
        groups.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let (root, name) =
                parts[1].isEmpty ? ("/sys/fs/cgroup", "memory.max") : ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            guard parts[1].isEmpty || parts[1].split(separator: ",").contains("memory") else { return [] }
            // A limit of a group above counts, too. In a container, the path may be the host's, and the root its own.
            var path = parts[2].hasSuffix("/") ? parts[2].dropLast() : parts[2]
            var files: [String] = []
            while true {
                files.append("\(root)\(path)/\(name)")
                guard let slash = path.lastIndex(of: "/") else { return files }
                path = path[..<slash]
            }
        }
    }

    /// Returns the bytes of a limit; nil if there is none.
    static func limit(_ text: String) -> Int64? {
        let digits = text.prefix { $0 != "\n" }
        guard let bytes = Int64(digits), bytes > 0 else { return nil }
        return bytes
    }

    static func text(ofFile path: String) -> String? {
        guard let descriptor = Descriptor.open(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            Descriptor.readNext(descriptor, into: buffer).map {
                String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<$0]), as: UTF8.self)
            }
        }
    }
}
