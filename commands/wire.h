/*
 * The API's JSON as the commands read and write it: values in typed form ({"S": "x"}), and short
 * accessors for answers.
 *
 * cJSON ends a string at a NUL, which DynamoDB allows: in trees a NUL is held as the bytes C0 80,
 * which no UTF-8 text contains; cmd_wire_print and cmd_wire_parse translate.
 */
#ifndef CMD_WIRE_H
#define CMD_WIRE_H

#include <cjson/cJSON.h>

#include "engine/base/buf.h"
#include "engine/value.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* {"S": "x"}; the caller's. */
cJSON *cmd_wire_value(pk_value value);
/* {name: value, …} of a map; the caller's. */
cJSON *cmd_wire_item(pk_value map);
/* A member that is text. Replaces one of that name. */
void cmd_wire_set_text(cJSON *object, const char *name, pk_slice text);
void cmd_wire_set_int(cJSON *object, const char *name, int64_t number);
void cmd_wire_set_bool(cJSON *object, const char *name, bool boolean);
/* A member that is a tree, which the object then owns. Replaces one of that name. */
void cmd_wire_set(cJSON *object, const char *name, cJSON *value);
/* The same where the name is data. */
void cmd_wire_set_named(cJSON *object, pk_slice name, cJSON *value);
/* The object's member of that name, made as an empty object when absent. */
cJSON *cmd_wire_object(cJSON *object, const char *name);
/* The tree without blanks, appended. */
void cmd_wire_print(struct pk_buf *out, const cJSON *node);
/* JSON text, indented by two blanks a level: what was between the tokens is lost, nothing else. */
void cmd_wire_pretty(struct pk_buf *out, pk_slice json);

/* ---- reading --------------------------------------------------------------------------------- */

/* Appends the names of the tables that a request of any operation names, by commas; nothing when it
 * names none, or is not JSON. Of a PartiQL statement the text is not looked into. */
void cmd_wire_tables(struct pk_buf *out, pk_slice request);
/* A tree of the caller's (cJSON_Delete), or NULL when the text is not JSON. */
cJSON *cmd_wire_parse(pk_slice text);
/* A member's text, data NULL when absent or no string. Borrowed from the tree. */
pk_slice cmd_wire_text(const cJSON *object, const char *name);
/* A member's number; `other` when absent. */
int64_t cmd_wire_int(const cJSON *object, const char *name, int64_t other);
/* A number of units as milli-units; 0 when absent. */
int64_t cmd_wire_milli(const cJSON *object, const char *name);
/* Whether a transaction's ConsumedCapacity is in read units: a TransactGetItems, or the repeat of
 * a write whose token was done already (operations.md §1). */
bool cmd_wire_is_read(const cJSON *capacity);
bool cmd_wire_bool(const cJSON *object, const char *name);
/* The value in typed form; copied into the arena. PK_MISSING when it is malformed. */
pk_value cmd_wire_read_value(struct pk_arena *arena, const cJSON *node);
/* {name: typed value, …} as a map; PK_MISSING when node is no object. Members that are malformed
 * are PK_MISSING in it. */
pk_value cmd_wire_read_item(struct pk_arena *arena, const cJSON *node);
/* True when nothing in it is missing: to be asked before pk_view_of() of what an endpoint sent. */
bool cmd_wire_is_whole(pk_value value);

#endif
