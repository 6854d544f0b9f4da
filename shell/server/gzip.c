#include "shell/server/gzip.h"

#include <zlib.h>

enum {
    WINDOW = 15,
    WINDOW_GZIP = WINDOW + 16, /* zlib: 16 more is the gzip header */
    MEMORY = 8,
    STEP = 64 * 1024 /* the least room to inflate into */
};

static int window_of(enum sh_coding coding)
{
    return coding == SH_CODING_GZIP ? WINDOW_GZIP : WINDOW;
}

static z_stream stream_of(pk_slice in)
{
    /* zlib does not write to its input, but takes it without const */
    union {
        const char *from;
        Bytef *to;
    } bytes = {.from = in.data};

    return (z_stream){.next_in = bytes.to, .avail_in = (uInt)in.len};
}

bool sh_coding_decode(struct pk_buf *out, enum sh_coding coding, pk_slice in, size_t max,
                      bool *too_long)
{
    z_stream stream = stream_of(in);
    size_t start = out->len;
    int rc = Z_OK;

    *too_long = false;
    if (inflateInit2(&stream, window_of(coding)) != Z_OK)
        pk_bug("inflateInit2");
    while (rc == Z_OK) {
        stream.next_out = (Bytef *)pk_buf_reserve(out, STEP);
        stream.avail_out = STEP;
        rc = inflate(&stream, Z_NO_FLUSH);
        out->len += STEP - stream.avail_out;
        out->data[out->len] = '\0';
        if (out->len - start > max) {
            *too_long = true;
            break;
        }
        if (rc == Z_STREAM_END && coding == SH_CODING_GZIP && stream.avail_in > 0)
            rc = inflateReset(&stream); /* another member follows (RFC 1952 §2.2) */
    }
    inflateEnd(&stream);
    return rc == Z_STREAM_END && stream.avail_in == 0 && !*too_long;
}

void sh_coding_encode(struct pk_buf *out, enum sh_coding coding, pk_slice in)
{
    z_stream stream = stream_of(in);
    size_t room;

    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window_of(coding), MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        pk_bug("deflateInit2");
    room = deflateBound(&stream, (uLong)in.len);
    stream.next_out = (Bytef *)pk_buf_reserve(out, room);
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        pk_bug("deflate");
    out->len += room - stream.avail_out;
    out->data[out->len] = '\0';
    deflateEnd(&stream);
}
