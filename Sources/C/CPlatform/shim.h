/* System calls that Swift's overlay of the C library leaves out. */
#if defined(__linux__)
#include <sys/types.h>
/* copy_file_range(2): copies within the kernel from one file to another. */
extern ssize_t copy_file_range(int from, off_t *offset, int to, off_t *position, size_t count, unsigned int flags);
/* syncfs(2): writes a whole file system to the disk, and reports errors since Linux 5.8. */
extern int syncfs(int descriptor);
#endif
