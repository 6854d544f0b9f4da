/* The keys of `--auth` as auth.c asks for them; private to it. */
#ifndef SH_SERVER_AUTH_KEYS_H
#define SH_SERVER_AUTH_KEYS_H

#include "shell/server/auth.h"

/* What a credential names: keyid/date/region/service/term. */
struct sh_auth_scope {
    pk_slice key_id;
    pk_slice date;
    pk_slice region;
    pk_slice service;
    pk_slice terminator;
};

/* The key that signs for the scope's key id, date and region; false when the id is unknown. Those
 * in use are kept, since making one takes four HMACs. Thread-safe. */
bool sh_auth_keys_signing(const struct sh_auth_keys *keys, const struct sh_auth_scope *scope,
                          unsigned char key[32]);

#endif
