/*
 * Where the panel's data comes from: the feed is on what the prompt is on, the embedded engine or
 * an endpoint. For an endpoint it has a connection of its own, so that a question of the panel
 * never waits behind a statement.
 */
#include <stdlib.h>

#include "shell/client/remote.h"
#include "shell/connect.h"
#include "shell/panel/panel_state.h"

static const char *or_null(const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : text;
}

/* On the feed's thread; the place does not change while the feed is open. */
static enum pk_code open_endpoint(void *context, const atomic_bool *cancel,
                                  struct cmd_backend **backend, struct pk_error *err)
{
    const struct sh_panel *panel = context;
    struct sh_aws_request request = {.endpoint = or_null(panel->place.endpoint),
                                     .region = or_null(panel->place.region),
                                     .profile = or_null(panel->place.profile)};
    struct sh_aws_account account;
    enum pk_code rc = sh_aws_resolve(&request, sh_aws_environment(), &account, err);

    if (rc == PK_OK)
        rc = sh_remote_open_take(&account, (struct cmd_progress){NULL, NULL}, cancel, backend, err);
    return rc;
}

static void clear_place(struct sh_panel_place *place)
{
    free(place->endpoint);
    free(place->region);
    free(place->profile);
    *place = (struct sh_panel_place){.endpoint = NULL};
}

static char *copy(const char *text)
{
    return text == NULL ? NULL : pk_memdup_cstr(text, strlen(text));
}

void sh_panel_feed_open(struct sh_panel *panel)
{
    const struct sh *sh = panel->sh;
    struct sh_feed_source source = {.open = open_endpoint, .context = panel};

    clear_place(&panel->place);
    panel->place = (struct sh_panel_place){.connection = sh->connections,
                                           .endpoint = copy(sh->asked.endpoint),
                                           .region = copy(sh->asked.region),
                                           .profile = copy(sh->asked.profile)};
    panel->feed = sh->remote == NULL ? sh_feed_open(sh->engine, sh->context.traffics)
                                     : sh_feed_open_source(&source);
    panel->data = sh_feed_latest(panel->feed);
    panel->view_due = true;
    sh_line_also_wait(sh->line, sh_feed_fd(panel->feed));
}

void sh_panel_feed_close(struct sh_panel *panel)
{
    if (panel->feed == NULL)
        return;
    sh_line_also_wait(panel->sh->line, -1);
    sh_feed_data_unref(panel->data);
    sh_feed_close(panel->feed);
    clear_place(&panel->place);
    panel->data = NULL;
    panel->feed = NULL;
}

/* True when the data is not what was drawn. What is frozen stays. */
bool sh_panel_feed_take(struct sh_panel *panel)
{
    const struct sh_feed_data *data = sh_feed_latest(panel->feed);

    if (panel->frozen) { /* taken all the same: the feed's descriptor is quiet then */
        sh_feed_data_unref(data);
        return false;
    }
    bool newer = data->serial != panel->data->serial;

    /* another table: what the views remember is of the one before */
    if (!pk_slice_equal(data->table, panel->data->table))
        sh_views_restart(panel->views);
    sh_feed_data_unref(panel->data);
    panel->data = data;
    return newer;
}

void sh_panel_feed_want(struct sh_panel *panel)
{
    struct sh_needs needs;

    sh_views_needs(panel->views, &needs);
    sh_feed_want(panel->feed, &(struct sh_feed_wants){.table = pk_slice_cstr(panel->table),
                                                      .index = pk_buf_slice(&panel->index),
                                                      .needs = &needs});
}

void sh_panel_follow(struct sh *sh)
{
    struct sh_panel *panel = sh->panel;
    const char *table = sh->context.table;

    if (!sh_panel_is_on(sh))
        return;
    sh_panel_look(panel); /* it is a setting */
    if (panel->place.connection != sh->connections) {
        sh_panel_feed_close(panel);
        sh_views_restart(panel->views);
        pk_buf_clear(&panel->last);
        sh_panel_feed_open(panel);
    }
    if ((table == NULL) != (panel->table == NULL) ||
        (table != NULL && strcmp(table, panel->table) != 0)) {
        free(panel->table);
        panel->table = copy(table);
        pk_buf_clear(&panel->index);
        panel->frozen = false;
        panel->view_due = true;
    }
}
