/* Makes the N-th call that changes files fail, or kills the process there; loaded by LD_PRELOAD.
 *
 *   FAULT_AT=N        which call, counted over all threads from 1; 0 counts only
 *   FAULT_ERROR=28    the error number that the call returns; without it the process is killed before the call
 *   FAULT_STICKY=1    every later call fails, too, as on a disk that stays full
 *   FAULT_READS=1     reading calls count as well
 *   FAULT_LOG=FILE    gets a line 'loaded' at the start, then one for each call that counts, before it is made: 'call NAME',
 *                     or 'fault NAME' where it fails or the process is killed; the lines outlive the process
 *   FAULT_BELOW=DIR   only calls on files whose path contains this, or on descriptors opened so, count
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static atomic_long calls;
static long at = -1;
static int error_number, sticky, reads, record = -1;
static const char *below;
static unsigned char counted[65536];

/* Past the functions below, so that no line counts as a call. */
static void note(const char *what, const char *name) {
    char line[64];
    int size = snprintf(line, sizeof line, "%s%s\n", what, name);
    if (record >= 0 && syscall(SYS_write, record, line, (size_t)size) != size) abort();
}

__attribute__((constructor)) static void setup(void) {
    if (at >= 0) return;
    const char *path = getenv("FAULT_LOG");
    if (path) {
        int opened = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
        /* A high number, so that the program's descriptors have theirs. */
        if (opened >= 0) record = fcntl(opened, F_DUPFD_CLOEXEC, 200);
        if (opened >= 0) syscall(SYS_close, opened);
        note("loaded", "");
    }
    const char *text = getenv("FAULT_AT");
    below = getenv("FAULT_BELOW");
    error_number = getenv("FAULT_ERROR") ? atoi(getenv("FAULT_ERROR")) : 0;
    sticky = getenv("FAULT_STICKY") != NULL;
    reads = getenv("FAULT_READS") != NULL;
    at = text ? atol(text) : 0;
}

/* Whether the call is to fail. */
static int strikes(const char *name) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    int is_hit = at != 0 && (number == at || (number > at && sticky && error_number));
    note(is_hit ? "fault " : "call ", name);
    if (!is_hit) return 0;
    if (error_number == 0) kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

static int concerns(const char *path) {
    setup();
    return path && (!below || strstr(path, below));
}

static int concerns_descriptor(int descriptor) {
    setup();
    return descriptor >= 0 && descriptor < (int)sizeof counted && counted[descriptor];
}

static int opened(const char *path, int descriptor) {
    if (descriptor >= 0 && descriptor < (int)sizeof counted) counted[descriptor] = concerns(path) ? 1 : 0;
    return descriptor;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(function) \
    int function(const char *path, int flags, ...) { \
        REAL(int, #function, const char *, int, ...); \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); \
        if (concerns(path) && ((flags & O_CREAT) || (reads && (flags & O_ACCMODE) == O_RDONLY)) && strikes(#function)) return -1; \
        return opened(path, real(path, flags, mode)); \
    }
OPEN(open)
OPEN(open64)

/* Below a descriptor that counts, or at a path that does. */
static int concerns_at(int folder, const char *path) {
    return folder == AT_FDCWD || path[0] == '/' ? concerns(path) : concerns_descriptor(folder);
}

#define OPENAT(function) \
    int function(int folder, const char *path, int flags, ...) { \
        REAL(int, #function, int, const char *, int, ...); \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); \
        int counts = concerns_at(folder, path); \
        if (counts && ((flags & O_CREAT) || (reads && (flags & O_ACCMODE) == O_RDONLY)) && strikes(#function)) return -1; \
        int descriptor = real(folder, path, flags, mode); \
        if (descriptor >= 0 && descriptor < (int)sizeof counted) counted[descriptor] = counts ? 1 : 0; \
        return descriptor; \
    }
OPENAT(openat)
OPENAT(openat64)

#define MKSTEMP(function) \
    int function(char *path) { \
        REAL(int, #function, char *); \
        return concerns(path) && strikes(#function) ? -1 : opened(path, real(path)); \
    }
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

char *mkdtemp(char *path) {
    REAL(char *, "mkdtemp", char *);
    return concerns(path) && strikes("mkdtemp") ? NULL : real(path);
}

#define PATH(function) \
    int function(const char *path) { \
        REAL(int, #function, const char *); \
        return concerns(path) && strikes(#function) ? -1 : real(path); \
    }
PATH(unlink)
PATH(rmdir)
PATH(remove)

#define MODE(function) \
    int function(const char *path, mode_t mode) { \
        REAL(int, #function, const char *, mode_t); \
        return concerns(path) && strikes(#function) ? -1 : real(path, mode); \
    }
MODE(mkdir)
MODE(chmod)

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    return concerns_at(folder, path) && strikes("mkdirat") ? -1 : real(folder, path, mode);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    return concerns_at(folder, path) && strikes("unlinkat") ? -1 : real(folder, path, flags);
}

int utime(const char *path, const struct utimbuf *times) {
    REAL(int, "utime", const char *, const struct utimbuf *);
    return concerns(path) && strikes("utime") ? -1 : real(path, times);
}

#define TWO(function) \
    int function(const char *old, const char *new) { \
        REAL(int, #function, const char *, const char *); \
        return concerns(new) && strikes(#function) ? -1 : real(old, new); \
    }
TWO(rename)
TWO(link)
TWO(symlink)

int renameat(int old_folder, const char *old, int folder, const char *new) {
    REAL(int, "renameat", int, const char *, int, const char *);
    return concerns_at(folder, new) && strikes("renameat") ? -1 : real(old_folder, old, folder, new);
}

int linkat(int old_folder, const char *old, int folder, const char *new, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return concerns_at(folder, new) && strikes("linkat") ? -1 : real(old_folder, old, folder, new, flags);
}

#define DESCRIPTOR(function) \
    int function(int descriptor) { \
        REAL(int, #function, int); \
        return concerns_descriptor(descriptor) && strikes(#function) ? -1 : real(descriptor); \
    }
DESCRIPTOR(fsync)
DESCRIPTOR(fdatasync)
DESCRIPTOR(syncfs)

int fchmod(int descriptor, mode_t mode) {
    REAL(int, "fchmod", int, mode_t);
    return concerns_descriptor(descriptor) && strikes("fchmod") ? -1 : real(descriptor, mode);
}

int fchown(int descriptor, uid_t user, gid_t group) {
    REAL(int, "fchown", int, uid_t, gid_t);
    return concerns_descriptor(descriptor) && strikes("fchown") ? -1 : real(descriptor, user, group);
}

int futimens(int descriptor, const struct timespec times[2]) {
    REAL(int, "futimens", int, const struct timespec *);
    return concerns_descriptor(descriptor) && strikes("futimens") ? -1 : real(descriptor, times);
}

/* Only Swift's Foundation has these, which a release contains. */
int chown(const char *path, uid_t user, gid_t group) {
    REAL(int, "chown", const char *, uid_t, gid_t);
    return concerns(path) && strikes("chown") ? -1 : real(path, user, group);
}

int utimes(const char *path, const struct timeval times[2]) {
    REAL(int, "utimes", const char *, const struct timeval *);
    return concerns(path) && strikes("utimes") ? -1 : real(path, times);
}

#define ATTRIBUTE(function) \
    int function(const char *path, const char *name, const void *value, size_t size, int flags) { \
        REAL(int, #function, const char *, const char *, const void *, size_t, int); \
        return concerns(path) && strikes(#function) ? -1 : real(path, name, value, size, flags); \
    }
ATTRIBUTE(setxattr)
ATTRIBUTE(lsetxattr)

int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags) {
    REAL(int, "fsetxattr", int, const char *, const void *, size_t, int);
    return concerns_descriptor(descriptor) && strikes("fsetxattr") ? -1 : real(descriptor, name, value, size, flags);
}

#define TRUNCATE(function) \
    int function(int descriptor, off64_t size) { \
        REAL(int, #function, int, off64_t); \
        return concerns_descriptor(descriptor) && strikes(#function) ? -1 : real(descriptor, size); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return concerns_descriptor(descriptor) && strikes("write") ? -1 : real(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return concerns_descriptor(descriptor) && strikes("writev") ? -1 : real(descriptor, parts, count);
}

#define SENDFILE(function) \
    ssize_t function(int to, int from, off64_t *offset, size_t count) { \
        REAL(ssize_t, #function, int, int, off64_t *, size_t); \
        return concerns_descriptor(to) && strikes(#function) ? -1 : real(to, from, offset, count); \
    }
SENDFILE(sendfile)
SENDFILE(sendfile64)

#define PWRITE(function) \
    ssize_t function(int descriptor, const void *bytes, size_t count, off64_t offset) { \
        REAL(ssize_t, #function, int, const void *, size_t, off64_t); \
        return concerns_descriptor(descriptor) && strikes(#function) ? -1 : real(descriptor, bytes, count, offset); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *position, size_t count, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    return concerns_descriptor(to) && strikes("copy_file_range") ? -1 : real(from, offset, to, position, count, flags);
}

#define PREAD(function) \
    ssize_t function(int descriptor, void *bytes, size_t count, off64_t offset) { \
        REAL(ssize_t, #function, int, void *, size_t, off64_t); \
        if (reads && concerns_descriptor(descriptor) && strikes(#function)) return -1; \
        return real(descriptor, bytes, count, offset); \
    }
PREAD(pread)
PREAD(pread64)
