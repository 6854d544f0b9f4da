/* Reading and writing transcripts; see transcript.h. */
#include "tests/support/transcript.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *len)
{
    struct pk_buf text = PK_BUF_INIT;
    FILE *file = fopen(path, "r");
    size_t got = 0;

    if (file == NULL)
        return NULL;
    do {
        got = fread(pk_buf_reserve(&text, 4096), 1, 4096, file);
        text.len += got;
    } while (got > 0);
    fclose(file);
    *len = text.len;
    return pk_buf_detach(&text);
}

/* Takes one line off the front, without its newline. */
static pk_slice take_line(pk_slice *rest)
{
    const char *newline = memchr(rest->data, '\n', rest->len);
    size_t len = newline == NULL ? rest->len : (size_t)(newline - rest->data);
    pk_slice line = pk_slice_of(rest->data, len);

    *rest = pk_slice_skip(*rest, len + 1);
    return line;
}

static bool is_input(pk_slice line)
{
    return pk_slice_starts(line, PK_LIT("> ")) || pk_slice_is(line, ">");
}

static void add_step(struct transcript *transcript, pk_slice line, const char *after)
{
    transcript->steps =
        pk_realloc(transcript->steps, transcript->count + 1, sizeof(*transcript->steps));
    transcript->steps[transcript->count++] = (struct transcript_step){
        .input = pk_slice_skip(line, line.len > 1 ? 2 : 1), .expected = pk_slice_of(after, 0)};
}

static void take_head(struct transcript *transcript, pk_slice line)
{
    static const char words[] = "# options:";

    if (pk_slice_starts(line, PK_LIT(words)))
        transcript->options = pk_slice_skip(line, sizeof(words) - 1);
}

bool transcript_load(struct transcript *transcript, const char *path)
{
    size_t len = 0;

    *transcript = (struct transcript){.path = path, .text = read_file(path, &len)};
    if (transcript->text == NULL)
        return false;

    pk_slice rest = pk_slice_of(transcript->text, len);

    while (rest.len > 0) {
        pk_slice line = take_line(&rest);
        struct transcript_step *step =
            transcript->count == 0 ? NULL : &transcript->steps[transcript->count - 1];

        if (is_input(line)) {
            if (step == NULL)
                transcript->head =
                    pk_slice_of(transcript->text, (size_t)(line.data - transcript->text));
            add_step(transcript, line, rest.data);
        } else if (pk_slice_starts(line, PK_LIT("! exit "))) {
            transcript->exit = atoi(line.data + 7);
        } else if (step == NULL) {
            take_head(transcript, line);
        } else {
            step->expected.len = (size_t)(line.data + line.len + 1 - step->expected.data);
        }
    }
    return transcript->count > 0;
}

void transcript_release(struct transcript *transcript)
{
    free(transcript->text);
    free(transcript->steps);
    *transcript = (struct transcript){.path = NULL};
}

void transcript_input(const struct transcript *transcript, struct pk_buf *out)
{
    for (size_t i = 0; i < transcript->count; i++) {
        pk_buf_add(out, transcript->steps[i].input);
        pk_buf_add_byte(out, '\n');
    }
}

void transcript_expected(const struct transcript *transcript, struct pk_buf *out)
{
    for (size_t i = 0; i < transcript->count; i++)
        pk_buf_add(out, transcript->steps[i].expected);
}

bool transcript_save(const struct transcript *transcript, const struct pk_buf *outputs,
                     int exit_code)
{
    struct pk_buf text = PK_BUF_INIT;

    pk_buf_add(&text, transcript->head);
    for (size_t i = 0; i < transcript->count; i++) {
        pk_slice input = transcript->steps[i].input;

        pk_buf_printf(&text, input.len == 0 ? ">%.*s\n" : "> %.*s\n", PK_FMT(input));
        pk_buf_add(&text, pk_buf_slice(&outputs[i]));
    }
    if (exit_code != 0)
        pk_buf_printf(&text, "! exit %d\n", exit_code);

    FILE *file = fopen(transcript->path, "w");
    bool written = file != NULL && fwrite(text.data, 1, text.len, file) == text.len;

    if (file != NULL)
        written = fclose(file) == 0 && written;
    pk_buf_release(&text);
    return written;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **transcript_list(const char *dir, size_t *count)
{
    DIR *stream = opendir(dir);
    char **paths = NULL;
    const struct dirent *entry;

    *count = 0;
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        struct pk_buf path = PK_BUF_INIT;
        size_t len = strlen(entry->d_name);

        if (len < 5 || strcmp(entry->d_name + len - 4, ".txt") != 0)
            continue;
        pk_buf_printf(&path, "%s/%s", dir, entry->d_name);
        paths = pk_realloc(paths, *count + 1, sizeof(*paths));
        paths[(*count)++] = pk_buf_detach(&path);
    }
    if (stream != NULL)
        closedir(stream);
    if (*count > 0)
        qsort(paths, *count, sizeof(*paths), by_name);
    return paths;
}
