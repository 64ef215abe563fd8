// What the portable program (scripts/portable) contains in place of something newer or larger.

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

// ICU's data without entries, instead of 30 MB of calendars, names of countries and rules for sorting. Nothing in the program
// formats for a locale; ICU's properties of characters and its regular expressions don't come from here. A library that asks
// for an entry is told that it is missing. ICU_DATA is the symbol's name, which contains ICU's version.
// The layout: https://unicode-org.github.io/icu/userguide/icu_data/ and ICU's udata.h and ucmndata.h.
#ifdef ICU_DATA
__attribute__((aligned(16))) const struct {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size, reserved_word;
    uint8_t is_big_endian, charset_family, sizeof_uchar, reserved_byte;
    uint8_t data_format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t entries, end[3];
} ICU_DATA = {32, {0xda, 0x27}, 20, 0, 0, 0, 2, 0, {'C', 'm', 'n', 'D'}, {1, 0, 0, 0}, {0}, {0}, 0, {0}};
#endif
