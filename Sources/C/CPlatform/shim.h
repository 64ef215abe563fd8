/* System calls that Swift's overlay of the C library leaves out. */
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
/* copy_file_range(2): copies within the kernel from one file to another. */
extern ssize_t copy_file_range(int from, off_t *offset, int to, off_t *position, size_t count, unsigned int flags);
/* syncfs(2): writes a whole file system to the disk, and reports errors since Linux 5.8. */
extern int syncfs(int descriptor);
/* openat2(2), since Linux 5.6: opens a file without following a link or leaving the folder. If 'at_once' is set, which needs
   Linux 5.12, it fails with EAGAIN instead of waiting for a disk. Headers of older systems lack the call and its flags. */
static inline int afc_open_below(int folder, const char *path, int flags, int at_once) {
    enum { openat2_number = 437, resolve_no_symlinks = 0x04, resolve_beneath = 0x08, resolve_cached = 0x20 };
    struct { unsigned long long flags, mode, resolve; } how = {
        (unsigned)flags, 0, resolve_beneath | resolve_no_symlinks | (at_once ? resolve_cached : 0)
    };
    return (int)syscall(openat2_number, folder, path, &how, sizeof how);
}
/* preadv2(2) with RWF_NOWAIT, since Linux 4.14: reads what memory has of a file; fails with EAGAIN if that is nothing. */
static inline ssize_t afc_read_cached(int descriptor, void *bytes, size_t count, long long offset) {
    struct iovec part = {bytes, count};
    return syscall(SYS_preadv2, descriptor, &part, 1L, (long)offset, (long)(offset >> 32), 0x08);
}
#endif
