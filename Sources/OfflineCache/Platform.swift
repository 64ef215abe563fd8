#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What Swift's overlays of the C libraries name differently.
enum Platform {
    static func access(_ path: String, _ mode: Int32) -> Bool {
        #if canImport(Glibc)
        Glibc.access(path, mode) == 0
        #elseif canImport(Musl)
        Musl.access(path, mode) == 0
        #else
        Darwin.access(path, mode) == 0
        #endif
    }

    static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.open(path, flags, 0o644)
        #elseif canImport(Musl)
        Musl.open(path, flags, 0o644)
        #else
        Darwin.open(path, flags, 0o644)
        #endif
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes, count)
        #else
        Darwin.write(descriptor, bytes, count)
        #endif
    }

    /// Seconds of a clock that never jumps.
    static var monotonicSeconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec)
    }
}
