/*
 * Traffic: the words of `traffic start`, a newline, and a recorded traffic. What is accepted must
 * give requests that are JSON and that are the same when they are asked for again; a tape that was
 * read and written must be read again.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/wire.h"
#include "commands/workload/traffic_tape.h"
#include "tests/support/temp_dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ALL_WORDS = 0xffff, ASKED = 5 };

static struct temp_dir dir;

static void remove_dir(void)
{
    temp_dir_remove(&dir);
}

static struct pk_table *a_table(void)
{
    static struct pk_key_attr attributes[] = {
        {PK_LIT("PK"), PK_STRING}, {PK_LIT("SK"), PK_NUMBER}, {PK_LIT("G"), PK_BINARY}};
    static struct pk_table table = {.name = PK_LIT("table"),
                                    .key = {.hash = {{PK_LIT("PK"), PK_STRING}},
                                            .range = {{PK_LIT("SK"), PK_NUMBER}},
                                            .hash_count = 1,
                                            .range_count = 1},
                                    .attributes = attributes,
                                    .attribute_count = 3};

    return &table;
}

static void write_request(const struct traffic_plan *plan, uint64_t n, struct pk_buf *json)
{
    struct traffic_request request;
    pk_slice operation;
    cJSON *tree;

    traffic_plan_nth(plan, n, &request);
    traffic_plan_write(plan, &request, json, &operation);
    tree = cmd_wire_parse(pk_buf_slice(json));
    if (tree == NULL)
        pk_bug("a request is no JSON: %s", json->data);
    cJSON_Delete(tree);
}

static void ask(const struct traffic_plan *plan)
{
    for (uint64_t n = 0; n < ASKED && n < traffic_plan_count(plan); n++) {
        struct pk_buf once = PK_BUF_INIT, again = PK_BUF_INIT;

        write_request(plan, n, &once);
        write_request(plan, n, &again);
        if (!pk_slice_equal(pk_buf_slice(&once), pk_buf_slice(&again)))
            pk_bug("request %llu is another one", (unsigned long long)n);
        pk_buf_release(&once);
        pk_buf_release(&again);
    }
}

static void try_words(pk_slice text)
{
    struct pk_arena arena = PK_ARENA_INIT;
    struct pk_error err = PK_ERROR_INIT;
    const struct traffic_words words = {text, 0, ALL_WORDS, &arena};
    struct traffic_plan plan = {.size = 0};
    struct traffic_spec spec;
    enum pk_code rc = traffic_spec_parse(&words, &spec, &err);

    if (rc == PK_OK && (spec.given & TRAFFIC_WORD_OP) != 0 &&
        (spec.given & TRAFFIC_WORD_KEYS) != 0) {
        rc = traffic_plan_init(&plan, &spec, a_table(), &err);
        if (rc == PK_OK)
            ask(&plan);
        traffic_plan_release(&plan);
    }
    if (rc != PK_OK && (err.message == NULL || err.span.start + (size_t)err.span.len > text.len))
        pk_bug("a failure says what and where: %s at %u+%u", err.message, err.span.start,
               err.span.len);
    pk_error_release(&err);
    pk_arena_release(&arena);
}

static void write_file(const char *path, pk_slice text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || (text.len > 0 && write(fd, text.data, text.len) != (ssize_t)text.len))
        pk_bug("%s is not written", path);
    close(fd);
}

/* The tape as a plan; false when it is refused. */
static bool load(const char *path, struct traffic_plan *plan)
{
    struct pk_error err = PK_ERROR_INIT;
    struct traffic_tape tape;
    enum pk_code rc = traffic_tape_load(&tape, path, a_table(), &err);

    if (rc == PK_OK)
        traffic_plan_init_tape(plan, &tape, a_table());
    else if (err.message == NULL)
        pk_bug("a failure says what");
    pk_error_release(&err);
    return rc == PK_OK;
}

static void try_tape(pk_slice text)
{
    struct traffic_plan plan = {.size = 0}, again = {.size = 0};
    struct pk_buf copy = PK_BUF_INIT;
    char path[256];

    snprintf(path, sizeof(path), "%s/tape", dir.path);
    write_file(path, text);
    if (!load(path, &plan))
        return;
    ask(&plan);
    traffic_tape_write_head(&copy);
    for (uint64_t n = 0; n < traffic_plan_count(&plan); n++) {
        struct traffic_request request;

        traffic_plan_nth(&plan, n, &request);
        traffic_tape_write(&plan, &request, (int64_t)n, &copy);
    }
    write_file(path, pk_buf_slice(&copy));
    if (!load(path, &again) || traffic_plan_count(&again) != traffic_plan_count(&plan))
        pk_bug("what was written is not read: %s", copy.data);
    traffic_plan_release(&plan);
    traffic_plan_release(&again);
    pk_buf_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pk_slice text = {(const char *)data, size};
    const char *newline = size == 0 ? NULL : memchr(data, '\n', size);
    size_t len = newline == NULL ? size : (size_t)(newline - text.data);

    if (dir.path[0] == '\0') {
        temp_dir_make(&dir);
        atexit(remove_dir);
    }
    try_words(pk_slice_of(text.data, len));
    try_tape(pk_slice_skip(text, newline == NULL ? len : len + 1));
    return 0;
}
