// What the portable program (scripts/portable) contains in place of something newer.

#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// Since glibc 2.32; libstdc++ reads it to leave out atomic operations while there is one thread. Here there are many.
char __libc_single_threaded = 0;

// Since glibc 2.36. The kernel's random numbers, which for these sizes block only before the system has gathered entropy.
void arc4random_buf(void *buffer, size_t count) {
    char *rest = buffer;
    while (count > 0) {
        ssize_t filled = getrandom(rest, count, 0);
        if (filled < 0) {
            if (errno == EINTR) continue;
            abort();
        }
        rest += filled;
        count -= (size_t)filled;
    }
}

uint32_t arc4random(void) {
    uint32_t number;
    arc4random_buf(&number, sizeof number);
    return number;
}
