/*
 * The part of an item that paths select (expressions.md §7), written straight from stored bytes to
 * stored bytes.
 *
 * The paths are sorted once per item, mostly a handful on the stack; then one walk over the item
 * meets them in order, so every container is read once, however many paths lead into it. Of paths
 * that overlap, which only callers without static checks can pass, the shorter one wins.
 */
#include <stdlib.h>

#include "engine/expr.h"
#include "engine/expr/expr_paths.h"

/* A run of sorted paths that agree in their first `depth` steps. */
struct run {
    const struct pk_path *const *paths;
    size_t count;
    size_t depth;
};

static bool project(struct run run, pk_view value, struct pk_buf *out);

static const struct pk_path_step *first_step(const struct run *run)
{
    return &run->paths[0]->steps[run->depth];
}

/* Takes the paths with one next step off the front of the run. */
static struct run take_branch(struct run *run)
{
    struct run branch = {run->paths, 1, run->depth + 1};

    while (branch.count < run->count && run->paths[branch.count]->count > run->depth &&
           pk__step_compare(first_step(run), &run->paths[branch.count]->steps[run->depth]) == 0)
        branch.count++;
    run->paths += branch.count;
    run->count -= branch.count;
    return branch;
}

static size_t put_varint(char *out, uint64_t number)
{
    size_t n = 0;

    for (; number >= 0x80; number >>= 7)
        out[n++] = (char)(unsigned char)(number | 0x80);
    out[n++] = (char)(unsigned char)number;
    return n;
}

/* Puts kind, length and member count (item.h) before the members that begin at `start`. */
static void close_container(struct pk_buf *out, size_t start, enum pk_kind kind, size_t count)
{
    char members[10];
    char header[1 + 10 + 10];
    size_t body = out->len - start;
    size_t count_len = put_varint(members, count);
    size_t len = 1;

    header[0] = (char)kind;
    len += put_varint(header + 1, body + count_len);
    memcpy(header + len, members, count_len);
    len += count_len;
    pk_buf_reserve(out, len);
    memmove(out->data + start + len, out->data + start, body + 1); /* and the final NUL */
    memcpy(out->data + start, header, len);
    out->len += len;
}

/* Takes back what was written behind `start`. */
static void cut(struct pk_buf *out, size_t start)
{
    out->len = start;
    if (out->data != NULL)
        out->data[start] = '\0';
}

/* Both walk container and run in step; they return the number of members written. */
static size_t project_members(struct run run, pk_view map, struct pk_buf *out)
{
    struct pk_view_iter iter;
    size_t count = 0;
    pk_slice name;
    pk_view value;

    pk_view_iter_init(&iter, map);
    while (run.count > 0 && pk_view_iter_next(&iter, &name, &value)) {
        size_t start = out->len;

        while (run.count > 0 && (pk__step_is_index(first_step(&run)) ||
                                 pk_slice_compare(first_step(&run)->name, name) < 0))
            take_branch(&run);
        if (run.count == 0 || !pk_slice_equal(first_step(&run)->name, name))
            continue;
        pk_buf_add_varint(out, name.len);
        pk_buf_add(out, name);
        if (project(take_branch(&run), value, out))
            count++;
        else
            cut(out, start);
    }
    return count;
}

static size_t project_elements(struct run run, pk_view list, struct pk_buf *out)
{
    struct pk_view_iter iter;
    size_t count = 0;
    pk_view value;

    pk_view_iter_init(&iter, list);
    for (uint64_t i = 0; run.count > 0 && pk_view_iter_next(&iter, NULL, &value); i++) {
        const struct pk_path_step *step = first_step(&run);

        if (!pk__step_is_index(step))
            break;
        if (step->index == i && project(take_branch(&run), value, out))
            count++;
    }
    return count;
}

/* Appends what the run selects of the value; false, and nothing appended, when that is nothing. */
static bool project(struct run run, pk_view value, struct pk_buf *out)
{
    size_t start = out->len;
    enum pk_kind kind = pk_view_kind(value);
    size_t count = 0;

    if (run.paths[0]->count == run.depth) {
        pk_buf_add(out, value);
        return true;
    }
    if (kind == PK_MAP)
        count = project_members(run, value, out);
    else if (kind == PK_LIST)
        count = project_elements(run, value, out);
    if (count == 0)
        return false;
    close_container(out, start, kind, count);
    return true;
}

/* Insertion sort: runs are short, and mostly in order already. */
static void sort_few(const struct pk_path **paths, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct pk_path *path = paths[i];
        size_t at = i;

        for (; at > 0 && pk__path_compare(paths[at - 1], path) > 0; at--)
            paths[at] = paths[at - 1];
        paths[at] = path;
    }
}

static int compare_paths(const void *a, const void *b)
{
    return pk__path_compare(*(const struct pk_path *const *)a, *(const struct pk_path *const *)b);
}

enum { FEW = 16 };

/* Sorts the paths in place and projects; always yields a map. */
static void project_item(const struct pk_path **paths, size_t count, pk_view item,
                         struct pk_buf *out)
{
    size_t start = out->len;

    if (count <= FEW)
        sort_few(paths, count);
    else
        qsort(paths, count, sizeof(*paths), compare_paths);
    if (count == 0 || !project((struct run){paths, count, 0}, item, out))
        close_container(out, start, PK_MAP, 0);
}

void pk_expr_project(const struct pk_projection *projection, pk_view item, struct pk_buf *out)
{
    const struct pk_path *few[FEW];
    const struct pk_path **paths = few;

    if (projection->count > FEW)
        paths = pk_calloc(projection->count, sizeof(*paths));
    for (size_t i = 0; i < projection->count; i++)
        paths[i] = projection->paths[i];
    project_item(paths, projection->count, item, out);
    if (paths != few)
        free(paths);
}

void pk_expr_project_targets(const struct pk_update *update, pk_view item, struct pk_buf *out)
{
    const struct pk_path *few[FEW];
    const struct pk_path **paths = few;

    if (update->count > FEW)
        paths = pk_calloc(update->count, sizeof(*paths));
    for (size_t i = 0; i < update->count; i++)
        paths[i] = update->actions[i].path;
    project_item(paths, update->count, item, out);
    if (paths != few)
        free(paths);
}
