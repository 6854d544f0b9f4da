/*
 * Checking LevelDB's table files from outside.
 *
 * LevelDB says "block checksum mismatch" but not in which file, and its repair does not tell whose
 * rows it could not save. This walks a table file by its published format (LevelDB's
 * doc/table_format.md), checks the checksum of every block, and names what the index says was in
 * the damaged ones. It only reads.
 */
#ifndef PK_STORE_TABLE_FILE_H
#define PK_STORE_TABLE_FILE_H

#include "engine/base/buf.h"

/* True when every block of the file directory/name has its checksum, or when there is no such file
 * (any more). Else false, with one line about the damage appended to *line. Reads all of the file.
 */
bool pk_table_file_check(const char *directory, const char *name, struct pk_buf *line);
/* Checks every table file of the directory, in order of names, and calls back with the line of each
 * damaged one. */
void pk_table_files_check(const char *directory, void (*damaged)(void *state, const char *line),
                          void *state);

#endif
