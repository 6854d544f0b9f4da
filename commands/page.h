/*
 * Reads that may have more to show: query, scan and SELECT, and what `more` goes on with.
 *
 * A page remembers the request, where to go on, and items that were read (and paid for) but did not
 * fit under the row cap; those are shown first.
 */
#ifndef CMD_PAGE_H
#define CMD_PAGE_H

#include "commands/footer.h"

struct cmd_page {
    char *operation;    /* the API's: "Query", "Scan", "ExecuteStatement" */
    char *label;        /* the footer's: a SELECT shows what it stands for */
    struct cJSON *json; /* the request; its start key or token leads to the next page */
    bool at_end;        /* nothing follows what was read */
    bool count;         /* Select=COUNT */
    bool limited;       /* one request at a time, unless pages says more */
    int64_t pages;      /* requests at a time: 0 as many as fill the rows, CMD_PAGES_ALL */
    enum cmd_consistency consistency;
    struct pk_arena arena; /* the key names */
    pk_slice *keys;
    size_t key_count;
    struct pk_buf rest; /* items read but not shown: varint length, stored form */
    size_t rest_pos;
    size_t rest_count;
};

void cmd_page_free(struct cmd_page *page);
/* The page of a PartiQL SELECT; json is taken. keys: of the table or index, may be NULL. */
struct cmd_page *cmd_page_of_statement(struct cJSON *json, const char *label,
                                       const struct cmd_target *target);

/* What is asked to explain a failed request; the request may be NULL (more). */
struct cmd_reading {
    struct cmd_page *page;       /* taken: kept in the context when something is left, else freed */
    struct cmd_request *request; /* for errors; NULL: none */
    struct cmd_usage usage;      /* out */
    uint64_t shown;              /* out: items in the result */
};
/* Reads and shows up to the row cap (or what limit and pages say): an items block, no footer. On
 * failure what was read before is in the result all the same. */
PK_MUST_CHECK enum pk_code cmd_page_read(struct cmd_context *context, struct cmd_reading *reading,
                                         struct cmd_result *result, struct pk_error *err);
/* "more" note when the context holds a page. */
void cmd_page_note(struct cmd_context *context, struct cmd_result *result);
/* The names of the attributes that are shown first: the read key's, then the table's. */
size_t cmd_key_names(const struct cmd_target *target, struct pk_arena *arena, pk_slice **names);
/* An items block with those rows (arena). Key names that no row has are left out: a projection need
 * not show them. */
void cmd_show_items(struct cmd_result *result, pk_value *rows, size_t count, const pk_slice *keys,
                    size_t key_count);

/* Builds and reads: items, footer, hints. What query, scan and count run. */
PK_MUST_CHECK enum pk_code cmd_run_reading(struct cmd_context *context,
                                           const struct cmd_statement *statement,
                                           cmd_request_builder *build, struct cmd_result *result,
                                           struct pk_error *err);

#endif
