/* Reading the files of profiles; see aws_file.h. */
#include "shell/client/aws_file.h"

#include <errno.h>
#include <stdio.h>

#include "engine/base/buf.h"

enum { FILE_MAX_BYTES = 1 << 20 };

struct reader {
    struct sh_aws_file *file;
    const char *section; /* NULL: before the first */
    const char *parent;  /* the setting whose indented ones follow; NULL: none */
};

void sh_aws_file_release(struct sh_aws_file *file)
{
    pk_arena_release(&file->arena);
    *file = (struct sh_aws_file){.first = NULL};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static pk_slice trim(pk_slice text)
{
    while (text.len > 0 && is_blank(text.data[0]))
        text = pk_slice_skip(text, 1);
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Without what stands behind a blank and a comment's mark. */
static pk_slice without_comment(pk_slice text)
{
    for (size_t i = 1; i < text.len; i++)
        if ((text.data[i] == '#' || text.data[i] == ';') && is_blank(text.data[i - 1]))
            return pk_slice_of(text.data, i);
    return text;
}

static void add(struct reader *reader, const char *name, pk_slice value)
{
    struct sh_aws_setting *setting = PK_NEW(&reader->file->arena, struct sh_aws_setting);

    setting->section = reader->section;
    setting->name = name;
    setting->value = pk_arena_dup(&reader->file->arena, value).data;
    setting->next = reader->file->first;
    reader->file->first = setting;
}

/* "[profile  x]" as "profile x"; quotes around a name are dropped. A section is kept as a setting
 * without a name, so that one that is empty is there too. */
static void take_section(struct reader *reader, pk_slice line)
{
    const char *end = memchr(line.data, ']', line.len);
    struct pk_buf name = PK_BUF_INIT;

    reader->section = NULL;
    reader->parent = NULL;
    if (end == NULL)
        return;
    line = trim(pk_slice_of(line.data + 1, (size_t)(end - line.data) - 1));
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] == '"' || line.data[i] == '\'')
            continue;
        if (!is_blank(line.data[i]))
            pk_buf_add_byte(&name, (unsigned char)line.data[i]);
        else if (!is_blank(line.data[i - 1]))
            pk_buf_add_byte(&name, ' ');
    }
    if (name.len > 0)
        reader->section = pk_arena_dup(&reader->file->arena, pk_buf_slice(&name)).data;
    pk_buf_release(&name);
    if (reader->section != NULL)
        add(reader, "", (pk_slice){NULL, 0});
}

static void take_setting(struct reader *reader, pk_slice line, bool indented)
{
    struct pk_arena *arena = &reader->file->arena;
    const char *equals = memchr(line.data, '=', line.len);
    pk_slice name, value;

    if (equals == NULL || reader->section == NULL)
        return;
    name = trim(pk_slice_of(line.data, (size_t)(equals - line.data)));
    value = trim(without_comment(pk_slice_skip(line, (size_t)(equals - line.data) + 1)));
    if (name.len == 0 || (indented && reader->parent == NULL))
        return;
    if (indented) {
        add(reader, pk_arena_printf(arena, "%s.%.*s", reader->parent, PK_FMT(name)).data, value);
        return;
    }
    name = pk_arena_dup(arena, name);
    reader->parent = value.len == 0 ? name.data : NULL;
    add(reader, name.data, value);
}

void sh_aws_file_parse(struct sh_aws_file *file, pk_slice text)
{
    struct reader reader = {.file = file};

    while (text.len > 0) {
        const char *newline = memchr(text.data, '\n', text.len);
        size_t len = newline == NULL ? text.len : (size_t)(newline - text.data);
        bool indented = is_blank(text.data[0]);
        pk_slice line = trim(pk_slice_of(text.data, len));

        text = pk_slice_skip(text, len + 1);
        if (line.len == 0 || line.data[0] == '#' || line.data[0] == ';')
            continue;
        if (line.data[0] == '[' && !indented)
            take_section(&reader, line);
        else
            take_setting(&reader, line, indented);
    }
}

enum pk_code sh_aws_file_load(struct sh_aws_file *file, const char *path, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    FILE *stream = fopen(path, "re");
    size_t got = 0;
    enum pk_code rc = PK_OK;

    if (stream == NULL && (errno == ENOENT || errno == ENOTDIR))
        return PK_OK;
    if (stream == NULL)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    do {
        got = fread(pk_buf_reserve(&text, 4096), 1, 4096, stream);
        text.len += got;
    } while (got > 0 && text.len <= FILE_MAX_BYTES);
    if (ferror(stream) != 0)
        rc = pk_fail(err, PK_E_IO, "cannot read '%s'", path);
    else if (text.len > FILE_MAX_BYTES)
        rc = pk_fail(err, PK_E_IO, "'%s' is no file of profiles: it is too large", path);
    else
        sh_aws_file_parse(file, pk_buf_slice(&text));
    fclose(stream);
    pk_buf_release(&text);
    return rc;
}

const char *sh_aws_file_get(const struct sh_aws_file *file, const char *section, const char *name)
{
    for (const struct sh_aws_setting *s = file->first; s != NULL; s = s->next)
        if (strcmp(s->section, section) == 0 && strcmp(s->name, name) == 0)
            return s->value[0] == '\0' ? NULL : s->value;
    return NULL;
}

bool sh_aws_file_has(const struct sh_aws_file *file, const char *section)
{
    for (const struct sh_aws_setting *s = file->first; s != NULL; s = s->next)
        if (strcmp(s->section, section) == 0)
            return true;
    return false;
}
