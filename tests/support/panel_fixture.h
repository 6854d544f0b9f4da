/* Frames for the panel's views, made from nothing but a name: fixed, so that screens are goldens.
 */
#ifndef TEST_PANEL_FIXTURE_H
#define TEST_PANEL_FIXTURE_H

#include "shell/panel/view.h"

struct panel_fixture {
    struct pk_arena arena;
    struct cmd_snapshot snapshot;
    struct cmd_viewport viewport;
    struct sh_item item;
    struct sh_traffic traffic[2];
    struct sh_frame frame; /* points to the above */
};

void panel_fixture_release(struct panel_fixture *fixture);

/* The dashboard of the lesson in the seventh second of its noon: four partitions, the third
 * throttled by one key, a query just read three orders. */
void panel_fixture_hot(struct panel_fixture *fixture);
/* The same, provisioned: with bursts, on a paused clock, throttled for two reasons. */
void panel_fixture_provisioned(struct panel_fixture *fixture);
/* The same table a while later: the hot partition has split. Feed _hot first. */
void panel_fixture_split(struct panel_fixture *fixture);
/* No table, and a table without items. */
void panel_fixture_no_table(struct panel_fixture *fixture);
void panel_fixture_empty(struct panel_fixture *fixture);
/* That many partitions, of which `loaded` came, from `first` on; every 37th is hot. */
void panel_fixture_many(struct panel_fixture *fixture, uint32_t partitions, uint32_t first,
                        uint32_t loaded);
/* That many collections of three items. */
void panel_fixture_collections(struct panel_fixture *fixture, size_t collections);
/* Texts that want to be more than text: escapes, controls, wide and combining characters, broken
 * bytes, in every place that shows text. */
void panel_fixture_hostile(struct panel_fixture *fixture);

#endif
