/*
 * The format, as far as it is needed (LevelDB's doc/table_format.md):
 *   file   = block… footer(48)
 *   footer = handle of the metaindex, handle of the index, zeros up to 40 bytes, magic(8)
 *   handle = varint offset, varint size
 *   block  = size bytes, type byte (0 plain, 1 snappy), masked CRC-32C(4) of both
 *   index  = { varint shared, varint fresh, varint value length, fresh key bytes, value = handle }
 *            restart offsets(4 each), restart count(4)
 * Numbers are little endian. An index key is at or above the last key of its block and below the
 * next block's first; it ends in 8 bytes of LevelDB's own.
 *
 * The index is usually compressed; so a snappy decoder is here too (format_description.txt of
 * snappy). Everything is checked against the end of what it reads: the files are damaged.
 */
#include "engine/store/table_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/store/layout.h"

enum {
    FOOTER_BYTES = 48,
    FOOTER_HANDLES = 40,
    TRAILER_BYTES = 5,
    INTERNAL_BYTES = 8,         /* sequence and type behind a key */
    INDEX_BYTES_MAX = 64 << 20, /* a table has 2 MB of data; more than this is damage */
    KEY_BYTES_MAX = 64 * 1024,
};

static const uint64_t MAGIC = 0xdb4775248b80fb57U;

struct check {
    pk_slice file;
    uint32_t crc_table[256];
    size_t blocks;
    size_t damaged;
    struct pk_buf first; /* key before the first damaged block */
    struct pk_buf last;  /* key at the end of the last damaged block */
};

/* Little endian --------------------------------------------------------------------------------*/

static uint64_t little(const char *bytes, unsigned count)
{
    uint64_t number = 0;

    while (count-- > 0)
        number = number << 8 | (unsigned char)bytes[count];
    return number;
}

static void make_crc_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;

        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78U : crc >> 1;
        table[i] = crc;
    }
}

/* CRC-32C as LevelDB stores it: rotated and offset, so that a CRC of a CRC is no trap. */
static uint32_t masked_crc(const uint32_t table[256], pk_slice bytes)
{
    uint32_t crc = 0xffffffffU;

    for (size_t i = 0; i < bytes.len; i++)
        crc = table[(crc ^ (unsigned char)bytes.data[i]) & 0xff] ^ crc >> 8;
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

/* Snappy ---------------------------------------------------------------------------------------*/

/* Appends `length` bytes that begin `offset` before the end; they may overlap what they make. */
static bool copy_back(struct pk_buf *out, size_t offset, size_t length)
{
    if (offset == 0 || offset > out->len)
        return false;
    pk_buf_reserve(out, length);
    for (size_t i = 0; i < length; i++)
        pk_buf_add_byte(out, (unsigned char)out->data[out->len - offset]);
    return true;
}

static bool add_literal(struct pk_buf *out, pk_slice *in, unsigned tag)
{
    size_t length = tag >> 2;
    pk_slice bytes;

    if (length >= 60) {
        unsigned extra = (unsigned)length - 59;

        if (!pk_take_bytes(in, extra, &bytes))
            return false;
        length = (size_t)little(bytes.data, extra);
    }
    if (!pk_take_bytes(in, length + 1, &bytes))
        return false;
    pk_buf_add(out, bytes);
    return true;
}

static bool add_copy(struct pk_buf *out, pk_slice *in, unsigned tag)
{
    static const unsigned OFFSET_BYTES[4] = {0, 1, 2, 4};
    unsigned kind = tag & 3;
    pk_slice bytes;
    size_t offset, length;

    if (!pk_take_bytes(in, OFFSET_BYTES[kind], &bytes))
        return false;
    offset = (size_t)little(bytes.data, OFFSET_BYTES[kind]);
    length = (tag >> 2) + 1;
    if (kind == 1) {
        length = (tag >> 2 & 7) + 4;
        offset |= (size_t)(tag >> 5) << 8;
    }
    return copy_back(out, offset, length);
}

static bool decompress(pk_slice in, struct pk_buf *out)
{
    uint64_t total;
    unsigned char tag;

    if (!pk_take_varint(&in, &total) || total > INDEX_BYTES_MAX)
        return false;
    while (out->len < total && pk_take_byte(&in, &tag)) {
        if (!((tag & 3) == 0 ? add_literal(out, &in, tag) : add_copy(out, &in, tag)))
            return false;
    }
    return out->len == total && in.len == 0;
}

/* Blocks ---------------------------------------------------------------------------------------*/

/* Finds the block of the handle that *in begins with; false when it is not in the file, or its
 * checksum is wrong. */
static bool take_block(struct check *check, pk_slice *in, pk_slice *body, unsigned char *type)
{
    uint64_t offset, size;
    pk_slice file = check->file;

    check->blocks++;
    if (!pk_take_varint(in, &offset) || !pk_take_varint(in, &size))
        return false;
    if (offset > file.len || size > file.len - offset || TRAILER_BYTES > file.len - offset - size)
        return false;
    *body = pk_slice_of(file.data + offset, (size_t)size);
    *type = (unsigned char)body->data[size];
    return masked_crc(check->crc_table, pk_slice_of(body->data, body->len + 1)) ==
           little(body->data + size + 1, 4);
}

static void set(struct pk_buf *buf, pk_slice bytes)
{
    pk_buf_clear(buf);
    pk_buf_add(buf, bytes);
}

/* Rebuilds the entry's key in *key; *value is its handle. False at the end and at nonsense. */
static bool next_entry(pk_slice *in, struct pk_buf *key, pk_slice *value)
{
    uint64_t shared, fresh, length;
    pk_slice bytes;

    if (!pk_take_varint(in, &shared) || !pk_take_varint(in, &fresh) ||
        !pk_take_varint(in, &length) || shared > key->len || fresh > KEY_BYTES_MAX ||
        !pk_take_bytes(in, (size_t)fresh, &bytes) || !pk_take_bytes(in, (size_t)length, value))
        return false;
    key->len = (size_t)shared;
    pk_buf_add(key, bytes);
    return true;
}

/* Checks every block that the index names. */
static bool walk_index(struct check *check, pk_slice index)
{
    struct pk_buf key = PK_BUF_INIT;
    struct pk_buf before = PK_BUF_INIT;
    uint64_t restarts = index.len < 4 ? UINT64_MAX : little(index.data + index.len - 4, 4);
    pk_slice handle, body;
    unsigned char type;
    bool is_sane = restarts < index.len / 4;

    if (is_sane)
        index.len -= 4 * (size_t)(restarts + 1);
    while (is_sane && index.len > 0) {
        is_sane = next_entry(&index, &key, &handle);
        if (is_sane && !take_block(check, &handle, &body, &type)) {
            if (check->damaged++ == 0)
                set(&check->first, pk_buf_slice(&before));
            set(&check->last, pk_buf_slice(&key));
        }
        set(&before, pk_buf_slice(&key));
    }
    pk_buf_release(&before);
    pk_buf_release(&key);
    return is_sane;
}

/* The filter lies behind the metaindex; nothing but speed is lost with either, but damage is
 * damage. */
static void check_meta(struct check *check, pk_slice *footer)
{
    pk_slice body;
    unsigned char type;

    if (!take_block(check, footer, &body, &type))
        check->damaged++;
    else if (type == 0)
        walk_index(check, body);
}

/* False when the file cannot even be taken apart. */
static bool walk_file(struct check *check)
{
    pk_slice footer, body;
    struct pk_buf plain = PK_BUF_INIT;
    unsigned char type;
    bool is_sane;

    if (check->file.len < FOOTER_BYTES)
        return false;
    footer = pk_slice_skip(check->file, check->file.len - FOOTER_BYTES);
    if (little(footer.data + FOOTER_HANDLES, 8) != MAGIC)
        return false;
    check_meta(check, &footer);
    if (!take_block(check, &footer, &body, &type))
        return false;
    if (type == 0)
        return walk_index(check, body);
    is_sane = type == 1 && decompress(body, &plain) && walk_index(check, pk_buf_slice(&plain));
    pk_buf_release(&plain);
    return is_sane;
}

/* Telling --------------------------------------------------------------------------------------*/

static const char *space_name(unsigned char space)
{
    static const struct {
        enum pk_space space;
        const char *name;
    } NAMES[] = {
        {PK_SPACE_TABLE, "table"},
        {PK_SPACE_LSI, "local index"},
        {PK_SPACE_GSI, "global index"},
        {PK_SPACE_CHANGE, "change log of table"},
        {PK_SPACE_EXPIRY, "expiry list of table"},
        {PK_SPACE_BACKUP, "backup"},
    };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (NAMES[i].space == (enum pk_space)space)
            return NAMES[i].name;
    }
    return NULL;
}

/* Whose row has an internal key: "table 3". */
static void describe(struct pk_buf *out, const struct pk_buf *key)
{
    pk_slice user =
        pk_slice_of(key->data, key->len < INTERNAL_BYTES ? 0 : key->len - INTERNAL_BYTES);
    unsigned char space;
    uint32_t id;

    if (!pk_take_byte(&user, &space))
        pk_buf_add_cstr(out, "the beginning");
    else if (space == PK_SPACE_META)
        pk_buf_add_cstr(out, "metadata");
    else if (space_name(space) != NULL && pk_take_u32be(&user, &id))
        pk_buf_printf(out, "%s %u", space_name(space), id);
    else
        pk_buf_printf(out, "byte %02x", space);
}

static void tell(const struct check *check, const char *name, struct pk_buf *line)
{
    struct pk_buf first = PK_BUF_INIT;
    struct pk_buf last = PK_BUF_INIT;

    describe(&first, &check->first);
    describe(&last, &check->last);
    pk_buf_printf(line, "table file %s: %zu of %zu blocks damaged", name, check->damaged,
                  check->blocks);
    if (check->last.len > 0 && pk_slice_equal(pk_buf_slice(&first), pk_buf_slice(&last)))
        pk_buf_printf(line, ", with rows of %s", last.data);
    else if (check->last.len > 0)
        pk_buf_printf(line, ", with rows from %s to %s", first.data, last.data);
    pk_buf_release(&first);
    pk_buf_release(&last);
}

static bool check_bytes(pk_slice file, const char *name, struct pk_buf *line)
{
    struct check check = {.file = file, .first = PK_BUF_INIT, .last = PK_BUF_INIT};
    bool is_sane, is_good;

    make_crc_table(check.crc_table);
    is_sane = walk_file(&check);
    is_good = is_sane && check.damaged == 0;
    if (!is_sane)
        pk_buf_printf(line, "table file %s: its index is damaged, all of its rows are hidden",
                      name);
    else if (!is_good)
        tell(&check, name, line);
    pk_buf_release(&check.first);
    pk_buf_release(&check.last);
    return is_good;
}

bool pk_table_file_check(const char *directory, const char *name, struct pk_buf *line)
{
    struct pk_buf path = PK_BUF_INIT;
    struct stat info;
    void *bytes;
    bool is_good;
    int fd;

    pk_buf_printf(&path, "%s/%s", directory, name);
    fd = open(path.data, O_RDONLY | O_CLOEXEC);
    pk_buf_release(&path);
    if (fd < 0 && errno == ENOENT)
        return true;
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        pk_buf_printf(line, "table file %s: cannot be read: %s", name,
                      fd < 0 ? strerror(errno) : "it is no file");
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (info.st_size == 0) {
        close(fd);
        return check_bytes(pk_slice_of("", 0), name, line);
    }
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        pk_buf_printf(line, "table file %s: cannot be read: %s", name, strerror(errno));
        return false;
    }
    is_good = check_bytes(pk_slice_of(bytes, (size_t)info.st_size), name, line);
    munmap(bytes, (size_t)info.st_size);
    return is_good;
}

static int is_table(const struct dirent *entry)
{
    size_t digits = strspn(entry->d_name, "0123456789");
    const char *ending = entry->d_name + digits;

    return digits > 0 && (strcmp(ending, ".ldb") == 0 || strcmp(ending, ".sst") == 0);
}

void pk_table_files_check(const char *directory, void (*damaged)(void *state, const char *line),
                          void *state)
{
    struct pk_buf line = PK_BUF_INIT;
    struct dirent **names = NULL;
    int count = scandir(directory, &names, is_table, alphasort);

    for (int i = 0; i < count; i++) {
        pk_buf_clear(&line);
        if (!pk_table_file_check(directory, names[i]->d_name, &line))
            damaged(state, line.data);
        free(names[i]);
    }
    free(names);
    pk_buf_release(&line);
}
