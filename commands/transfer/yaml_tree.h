/*
 * YAML (by libyaml) as a tree of plain values. Scalars stay text as they are written, whatever they
 * spell: whoever wants a number or a switch reads the text. Only plain null and ~ are null.
 *
 * The short forms of CloudFormation become what they stand for: `!Ref X` is {"Ref": "X"}, `!Sub …`
 * {"Fn::Sub": …}, `!GetAtt A.B` {"Fn::GetAtt": ["A", "B"]}, any other `!Name` {"Fn::Name": …}.
 */
#ifndef CMD_TRANSFER_YAML_TREE_H
#define CMD_TRANSFER_YAML_TREE_H

#include "engine/base/arena.h"
#include "engine/error.h"
#include "engine/value.h"

/* The first document of the text. PK_E_USAGE with a span in the text. */
PK_MUST_CHECK enum pk_code yaml_tree_read(struct pk_arena *arena, pk_slice text, pk_value *root,
                                          struct pk_error *err);

#endif
