#include "commands/transfer/transfer_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <zlib.h>

#include "engine/base/utf8.h"

enum { READ_BYTES = 1 << 16 };

/* ---- reading --------------------------------------------------------------------------------- */

static enum pk_code check_kind(const char *path, struct pk_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pk_fail(err, PK_E_IO, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(EISDIR));
    if (S_ISREG(info.st_mode) && info.st_size > (off_t)TRANSFER_FILE_MAX)
        return pk_fail(err, PK_E_USAGE, "%s: the file is larger than 1 GB; split it", path);
    return PK_OK;
}

/* zlib hands plain files through as they are. */
static enum pk_code read_all(gzFile in, struct transfer_file *file, struct pk_error *err)
{
    for (;;) {
        int got = gzread(in, pk_buf_reserve(&file->bytes, READ_BYTES), READ_BYTES);
        int number = Z_OK;
        const char *problem;

        if (got > 0)
            file->bytes.len += (size_t)got;
        file->bytes.data[file->bytes.len] = '\0';
        if (file->bytes.len > TRANSFER_FILE_MAX)
            return pk_fail(err, PK_E_USAGE, "%s: the content is larger than 1 GB; split it",
                           file->name);
        if (got == READ_BYTES)
            continue;
        problem = gzerror(in, &number);
        if (number == Z_OK || number == Z_STREAM_END)
            return PK_OK;
        if (number == Z_ERRNO)
            return pk_fail(err, PK_E_IO, "cannot read '%s': %s", file->name, strerror(errno));
        return pk_fail(err, PK_E_USAGE, "%s: the gzip data is damaged or cut off (%s)", file->name,
                       problem);
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Formats that are told apart by their first bytes and that we do not read. */
static const struct {
    const char *bytes;
    size_t len;
    const char *message;
} foreign[] = {
    {"\x28\xB5\x2F\xFD", 4, "is compressed with zstd, which is not read here; unpack it first"},
    {"\xE0\x01\x00\xEA", 4, "is Amazon Ion, which is not read here; export DYNAMODB_JSON instead"},
    {"$ion_1_0", 8, "is Amazon Ion, which is not read here; export DYNAMODB_JSON instead"},
    {"PK\x03\x04", 4, "is a zip archive; unpack it first"},
    {"\xFF\xFE", 2, "is UTF-16 text; save it as UTF-8"},
    {"\xFE\xFF", 2, "is UTF-16 text; save it as UTF-8"},
};

static size_t column_of(pk_slice text, size_t pos)
{
    size_t start = pos;

    while (start > 0 && text.data[start - 1] != '\n')
        start--;
    return pos - start + 1;
}

static enum pk_code fail_byte(struct transfer_file *file, size_t pos, const char *what,
                              struct pk_error *err)
{
    return pk_fail(err, PK_E_USAGE, "%s:%zu:%zu: %s", file->name, transfer_file_line(file, pos),
                   column_of(file->text, pos), what);
}

static enum pk_code check_text(struct transfer_file *file, struct pk_error *err)
{
    pk_slice rest = file->text;
    uint32_t code_point;

    for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
        if (pk_slice_starts(file->text, pk_slice_of(foreign[i].bytes, foreign[i].len)))
            return pk_fail(err, PK_E_USAGE, "%s: %s", file->name, foreign[i].message);
    }
    if (strspn(file->text.data == NULL ? "" : file->text.data, " \t\r\n") == file->text.len)
        return pk_fail(err, PK_E_USAGE, "%s: the file is empty", file->name);
    if (memchr(file->text.data, '\0', file->text.len) != NULL)
        return fail_byte(file, strlen(file->text.data), "a NUL byte: this is not a text file", err);
    while (pk_utf8_take(&rest, &code_point))
        continue;
    if (rest.len != 0)
        return fail_byte(file, file->text.len - rest.len, "this is not UTF-8 text", err);
    return PK_OK;
}

static enum pk_code finish(struct transfer_file *file, struct pk_error *err)
{
    pk_slice mark = PK_LIT("\xEF\xBB\xBF");

    file->text = pk_buf_slice(&file->bytes);
    if (pk_slice_starts(file->text, mark))
        file->text = pk_slice_skip(file->text, mark.len);
    file->known_line = 1;
    return check_text(file, err);
}

enum pk_code transfer_file_load(struct transfer_file *file, const char *path, struct pk_error *err)
{
    enum pk_code rc;
    gzFile in;

    *file = (struct transfer_file){.name = path};
    rc = check_kind(path, err);
    if (rc != PK_OK)
        return rc;
    in = gzopen(path, "rb");
    if (in == NULL)
        return pk_fail(err, PK_E_IO, "cannot open '%s': %s", path, strerror(errno));
    rc = read_all(in, file, err);
    (void)gzclose(in);
    if (rc == PK_OK)
        rc = finish(file, err);
    return rc;
}

void transfer_file_release(struct transfer_file *file)
{
    pk_buf_release(&file->bytes);
    *file = (struct transfer_file){0};
}

/* ---- places ---------------------------------------------------------------------------------- */

size_t transfer_file_line(struct transfer_file *file, size_t pos)
{
    if (pos > file->text.len)
        pos = file->text.len;
    if (pos < file->known_pos) {
        file->known_pos = 0;
        file->known_line = 1;
    }
    for (; file->known_pos < pos; file->known_pos++) {
        if (file->text.data[file->known_pos] == '\n')
            file->known_line++;
    }
    return file->known_line;
}

enum pk_code transfer_file_place(struct transfer_file *file, struct pk_error *err)
{
    char prefix[512];
    size_t pos = err->span.start < file->text.len ? err->span.start : file->text.len;

    (void)snprintf(prefix, sizeof(prefix), "%.400s:%zu:%zu: ", file->name,
                   transfer_file_line(file, pos), column_of(file->text, pos));
    pk_error_prefix(err, prefix);
    err->span = (struct pk_span){0, 0};
    return err->code;
}
