/*
 * Walking JSON text by its brackets and quotes, without a tree: to see what a file is before it is
 * read, to find where an element begins (for its line), and to read a huge array one element at a
 * time. It checks no more than it needs; whoever reads the element checks it.
 */
#ifndef CMD_TRANSFER_JSON_SCAN_H
#define CMD_TRANSFER_JSON_SCAN_H

#include <stdint.h>

#include "engine/base/slice.h"

/* The position after blanks; the end when nothing else is left. */
size_t json_scan_blanks(pk_slice text, size_t pos);

/* The end of the value at pos, or the end of the text when it is not closed. */
size_t json_scan_value(pk_slice text, size_t pos);

/* Walks an array's elements or an object's members. */
struct json_walk {
    pk_slice text;
    size_t pos;
    bool object;
    bool first;
    bool broken; /* the walk ended where the text is no JSON, at pos */
};

/* Enters the container at pos (blanks before it are skipped). False when there is none. */
bool json_walk_open(struct json_walk *walk, pk_slice text, size_t pos);
/* The next element: *value is where it begins; *name, for members, the name as it is written
 * between its quotes. False at the end, walk->pos behind the closing bracket, and where the text is
 * no JSON (broken). */
bool json_walk_next(struct json_walk *walk, pk_slice *name, size_t *value);

/* Where the member's value begins in the object at pos; false, and *value unchanged, when there is
 * none. */
bool json_scan_member(pk_slice text, size_t pos, const char *name, size_t *value);

#endif
