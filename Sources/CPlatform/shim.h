/* System calls that Swift's overlay of the C library leaves out. */
#if defined(__linux__)
/* syncfs(2): writes a whole file system to the disk, and reports errors since Linux 5.8. */
extern int syncfs(int descriptor);
#endif
