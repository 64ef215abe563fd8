/* System calls that Swift's overlay of the C library leaves out. */
#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
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
/* A process beside this one, until it starts a program or ends; what it does first must be safe after fork(2) in a process with
   threads. clone(2) with 'flags' returns as fork does; the caller waits meanwhile, and no signal reaches the new process. */
static inline long afc_clone(unsigned long flags) { return syscall(SYS_clone, flags | 0x4000 | SIGCHLD, 0L, 0L, 0L, 0L); }
static inline int afc_write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = write(file, text, strlen(text));
    close(file);
    return count < 0 ? -1 : 0;
}
/* The work of a process in a new network: its files are the network, the user namespace (-1 for none), and a socket that listens on
   127.0.0.1 there. Returns 0 or an error's number. */
static inline int afc_enter_network(int files[3], const char *users, const char *groups) {
    struct ifreq loopback;
    memset(&loopback, 0, sizeof loopback);
    memcpy(loopback.ifr_name, "lo", 3);
    if (users && (afc_write_file("/proc/self/setgroups", "deny") || afc_write_file("/proc/self/uid_map", users)
                  || afc_write_file("/proc/self/gid_map", groups)))
        return errno;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    files[2] = server;
    if (server < 0 || ioctl(server, SIOCGIFFLAGS, &loopback)) return errno;
    loopback.ifr_flags |= IFF_UP;
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (ioctl(server, SIOCSIFFLAGS, &loopback) || bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 4096))
        return errno;
    files[0] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (files[0] >= 0 && users) files[1] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    return files[0] < 0 || (users && files[1] < 0) ? errno : 0;
}
/* Makes a network that has only a loopback interface (network_namespaces(7)), for those who may; 'users' and 'groups', lines of
   uid_map and gid_map, put it into a new user namespace, which others may make, too. Returns 0 or an error's number. */
static inline int afc_make_network(int files[3], const char *users, const char *groups) {
    struct { int error, files[3]; } result = {EPERM, {-1, -1, -1}};
    int ends[2], status;
    sigset_t all, old;
    if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK)) return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    /* CLONE_FILES, so that this process gets the files; CLONE_NEWNET, CLONE_NEWUSER. */
    long child = afc_clone(0x400 | 0x40000000 | (users ? 0x10000000 : 0));
    if (child == 0) {
        result.error = afc_enter_network(result.files, users, groups);
        if (write(ends[1], &result, sizeof result) < 0) _exit(1);
        _exit(0);
    }
    if (child < 0) result.error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (child > 0) {
        while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR) {}
        if (read(ends[0], &result, sizeof result) < 0) result.error = EPERM;
    }
    close(ends[0]);
    close(ends[1]);
    memcpy(files, result.files, sizeof result.files);
    return result.error;
}
extern int execvpe(const char *file, char *const arguments[], char *const variables[]);
/* Starts a program in a network, with no signal blocked or ignored; 'users' is -1 without a user namespace. Returns its process, or
   the negative number of an error. */
static inline int afc_start_in_network(int network, int users, char *const *arguments, char *const *variables) {
    static const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGHUP};
    int ends[2], error = 0;
    sigset_t all, old, none;
    if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK)) return -errno;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    long child = afc_clone(0);
    if (child == 0) {
        if ((users < 0 || !syscall(SYS_setns, users, 0)) && !syscall(SYS_setns, network, 0)) {
            for (int place = 0; place < 4; place++) signal(signals[place], SIG_DFL);
            sigprocmask(SIG_SETMASK, &none, NULL);
            execvpe(arguments[0], arguments, variables);
        }
        error = errno;
        if (write(ends[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    if (child < 0) error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (child > 0 && read(ends[0], &error, sizeof error) > 0) waitpid((pid_t)child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return error ? -error : (int)child;
}
#endif
