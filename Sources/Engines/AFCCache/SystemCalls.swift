#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// Calls of the system by a name that no type has a member of: within one that writes, `write` means its own.

func systemAccess(_ path: String, _ mode: Int32) -> Bool { access(path, mode) == 0 }

func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0o644) -> Int32 { open(path, flags, mode) }

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Seconds of a clock that never jumps.
func monotonicSeconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec)
}
