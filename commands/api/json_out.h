/*
 * Writing response JSON straight from stored bytes into one buffer, without a tree.
 *
 * Commas come from the buffer itself: json_out_member and json_out_element put one unless the last
 * byte opens a container. So a writer must not put blanks.
 */
#ifndef CMD_JSON_OUT_H
#define CMD_JSON_OUT_H

#include "engine/item.h"

/* "name": with a comma before it where one is due. */
void json_out_member(struct pk_buf *out, const char *name);
void json_out_member_slice(struct pk_buf *out, pk_slice name);
/* To be called before each element of an array. */
void json_out_element(struct pk_buf *out);

/* How many bytes from the front stand in a JSON string as they are. */
size_t json_out_plain_length(pk_slice text);
/* The text in quotes, escaped. */
void json_out_string(struct pk_buf *out, pk_slice text);
void json_out_cstr(struct pk_buf *out, const char *text);
void json_out_int(struct pk_buf *out, int64_t number);
void json_out_uint(struct pk_buf *out, uint64_t number);
void json_out_bool(struct pk_buf *out, bool boolean);
/* Capacity in milli-units as units: 500 is 0.5, 2000 is 2.0. */
void json_out_units(struct pk_buf *out, int64_t milli);
/* A timestamp: milliseconds as seconds with a fraction. */
void json_out_time(struct pk_buf *out, int64_t ms);
/* "name":"text" in one call. */
void json_out_member_text(struct pk_buf *out, const char *name, pk_slice text);

/* {"S":"x"} */
void json_out_value(struct pk_buf *out, pk_view value);
/* {"p":{"S":"x"},…}: the members of a stored map. */
void json_out_item(struct pk_buf *out, pk_view map);
/* The same for a value that is a tree (a key). */
void json_out_tree_item(struct pk_buf *out, pk_value map);
void json_out_tree_value(struct pk_buf *out, pk_value value);

#endif
