#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Tells whether the machine has been started again: what wasn't synced may be missing then.
enum SystemStart {
    /// What is another one after each start of the machine, or nil where the system doesn't say.
    static var identifier: String? {
        #if canImport(Darwin)
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var text = [CChar](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return count > 0 ? String(decoding: bytes.prefix(count).filter { $0 > 0x20 }, as: UTF8.self) : nil
        #endif
    }
}
