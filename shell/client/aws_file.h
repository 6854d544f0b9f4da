/*
 * The files ~/.aws/config and ~/.aws/credentials.
 *
 *   [profile dev]                     a section; its name's blanks are made single ones
 *   region = eu-west-1                a setting; later ones of the same name win
 *   dynamodb =                        a setting without a value holds the indented ones below it:
 *     endpoint_url = http://…           found as "dynamodb.endpoint_url"
 *   # …, ; …                          comments, also behind a blank after a value
 *
 * What is malformed is passed over, as the SDKs do.
 */
#ifndef SH_CLIENT_AWS_FILE_H
#define SH_CLIENT_AWS_FILE_H

#include "engine/base/arena.h"
#include "engine/error.h"

struct sh_aws_setting {
    const char *section, *name;
    const char *value;
    struct sh_aws_setting *next;
};

struct sh_aws_file {
    struct pk_arena arena;
    struct sh_aws_setting *first; /* the last one of the file is the first here */
};

void sh_aws_file_release(struct sh_aws_file *file);
/* Appends the settings of the text. */
void sh_aws_file_parse(struct sh_aws_file *file, pk_slice text);
/* The same from a file. One that is not there has no settings; PK_E_IO for one that cannot be read
 * or is larger than a megabyte. */
PK_MUST_CHECK enum pk_code sh_aws_file_load(struct sh_aws_file *file, const char *path,
                                            struct pk_error *err);
/* The value, or NULL when it is not there or empty. Borrowed from the file. */
const char *sh_aws_file_get(const struct sh_aws_file *file, const char *section, const char *name);
bool sh_aws_file_has(const struct sh_aws_file *file, const char *section);

#endif
