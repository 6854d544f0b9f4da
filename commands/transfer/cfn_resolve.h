/*
 * Intrinsic functions of CloudFormation, as far as a template by itself says what they give:
 * parameters by their defaults, mappings, conditions, other tables, pseudo parameters with local
 * values; and the ${self:…}, ${opt:…, default} of the Serverless Framework.
 *
 * What does not resolve becomes a placeholder, a word made of its name, and is counted.
 */
#ifndef CMD_TRANSFER_CFN_RESOLVE_H
#define CMD_TRANSFER_CFN_RESOLVE_H

#include "engine/base/arena.h"
#include "engine/value.h"

struct cfn_template {
    struct pk_arena *arena;
    pk_value root;      /* the whole file, for ${self:…} */
    pk_value resources; /* all there are */
    pk_value parameters;
    pk_value mappings;
    pk_value conditions;
    /* What did not resolve, each once. */
    pk_slice *unresolved;
    size_t unresolved_count;
    /* References may go round: */
    unsigned depth; /* of the resolution under way */
    size_t references;
};

/* The value with every function replaced; PK_MISSING for AWS::NoValue. */
pk_value cfn_resolve(struct cfn_template *template, pk_value value);
/* The resolved value as text; `other` when it is none. */
pk_slice cfn_text(struct cfn_template *template, pk_value value, pk_slice other);

#endif
