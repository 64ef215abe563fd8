import Testing

@testable import AFCFiles

/// The memory that a process may use.
struct SystemMemoryTests {
    @Test func `the machine has some memory`() throws {
        let size = try #require(SystemMemory.size)
        #expect(size > 64 << 20)
    }

    @Test(
        arguments: [
            ("0::/\n", ["/sys/fs/cgroup/memory.max"]),
            (
                "0::/user.slice/a.service\n",
                [
                    "/sys/fs/cgroup/user.slice/a.service/memory.max", "/sys/fs/cgroup/user.slice/memory.max",
                    "/sys/fs/cgroup/memory.max",
                ]
            ),
            (
                "5:cpu,memory:/docker/1\n1:name=systemd:/x\n2:memoryless:/y\n",
                [
                    "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes",
                    "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                ]
            ),
            ("", []), ("nonsense\n", []),
        ] as [(String, [String])]
    )
    func `limits are those of the group and of the groups above it`(_ groups: String, _ files: [String]) {
        #expect(SystemMemory.groupLimitFiles(groups) == files)
    }

    @Test(
        arguments: [("max\n", nil), ("1073741824\n", 1 << 30), ("0\n", nil), ("", nil), ("-1\n", nil)]
            as [(String, Int64?)]
    )
    func `a limit is a number`(_ text: String, _ bytes: Int64?) { #expect(SystemMemory.limit(text) == bytes) }
}
