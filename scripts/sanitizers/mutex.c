// Shows ThreadSanitizer how Swift's Mutex orders memory accesses when threads wait for each other. Linux only.
//
// A free Mutex is taken by the program itself, so the sanitizer sees it. If it is taken already, or others wait for it, these
// functions of Swift's library are called, which aren't instrumented; without this file, what the lock protects is reported as
// a race. 'scripts/test --sanitize thread' compiles this file and loads it before Swift's library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Part of the sanitizer; missing from other programs that tests start.
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void afcache_lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT bool afcache_try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT void afcache_unlock(SELF mutex) __asm__(UNLOCK);

SWIFT void afcache_lock(uint32_t thread, SELF mutex) {
    ((SWIFT void (*)(uint32_t, SELF))original(LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool afcache_try_lock(SELF mutex) {
    bool is_locked = ((SWIFT bool (*)(SELF))original(TRY_LOCK))(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void afcache_unlock(SELF mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((SWIFT void (*)(SELF))original(UNLOCK))(mutex);
}
