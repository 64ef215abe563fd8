#include <zlib.h>

/* zlib's initialisers are macros, which Swift doesn't see; raw deflate, as zip has it. */
static inline int afcache_deflate_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
static inline int afcache_inflate_init(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}
/* gzip and zlib wrappers, told apart by their first bytes. */
static inline int afcache_inflate_init_wrapped(z_stream *stream) {
    return inflateInit2(stream, MAX_WBITS + 32);
}
