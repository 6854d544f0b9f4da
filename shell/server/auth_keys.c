/*
 * The file of keys, and the signing keys derived from them.
 *
 * A signing key is good for one key id, day and region, and a server meets few of them: the last
 * ones stay in a ring. The ring's lock is the only one here and is held for a look or a copy, never
 * while a key is derived; two threads may derive the same one, which costs a slot and no more.
 */
#include "shell/server/auth_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/map.h"
#include "shell/server/auth_sign.h"

enum {
    FILE_MAX = 1 << 20,
    LINE_NUMBER_BASE = 1,
    DERIVED = 64,
    DATE_LEN = 8,    /* YYYYMMDD */
    REGION_MAX = 32, /* a longer one is not kept; AWS's are half as long */
    KEY_LEN = 32
};

struct secret {
    char *text; /* owned */
    size_t len;
};

struct derived {
    const struct secret *secret; /* NULL: free */
    char date[DATE_LEN];
    char region[REGION_MAX];
    size_t region_len;
    unsigned char key[KEY_LEN];
};

struct ring {
    pthread_mutex_t lock; /* guards the rest */
    struct derived derived[DERIVED];
    size_t next;
};

struct sh_auth_keys {
    struct pk_map secrets; /* key id to struct secret */
    struct ring *ring;
};

static void secret_free(struct secret *secret)
{
    if (secret == NULL)
        return;
    explicit_bzero(secret->text, secret->len);
    free(secret->text);
    free(secret);
}

static struct sh_auth_keys *keys_new(void)
{
    struct sh_auth_keys *keys = pk_calloc(1, sizeof(*keys));

    keys->ring = pk_calloc(1, sizeof(*keys->ring));
    pthread_mutex_init(&keys->ring->lock, NULL);
    return keys;
}

void sh_auth_keys_free(struct sh_auth_keys *keys)
{
    size_t cursor = 0;
    pk_slice id;
    void *secret;

    if (keys == NULL)
        return;
    while (pk_map_next(&keys->secrets, &cursor, &id, &secret))
        secret_free(secret);
    pk_map_release(&keys->secrets);
    pthread_mutex_destroy(&keys->ring->lock);
    explicit_bzero(keys->ring, sizeof(*keys->ring));
    free(keys->ring);
    free(keys);
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum pk_code check_mode(int fd, const char *path, struct pk_error *err)
{
    struct stat about;

    if (fstat(fd, &about) != 0)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    if ((about.st_mode & (S_IROTH | S_IWOTH)) != 0)
        return pk_fail(err, PK_E_USAGE, "'%s' holds secrets and is open to others: chmod o-rw '%s'",
                       path, path);
    return PK_OK;
}

static enum pk_code read_file(int fd, const char *path, struct pk_buf *out, struct pk_error *err)
{
    enum pk_code rc = check_mode(fd, path, err);
    ssize_t got = 0;

    if (rc != PK_OK)
        return rc;
    do {
        got = read(fd, pk_buf_reserve(out, 65536), 65536);
        if (got > 0)
            out->len += (size_t)got;
        if (out->len > FILE_MAX)
            return pk_fail(err, PK_E_USAGE, "'%s' is too large for a file of keys", path);
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0)
        return pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    return PK_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; empty at its end. */
static pk_slice take_word(pk_slice *line)
{
    pk_slice word;

    while (line->len > 0 && is_blank(line->data[0]))
        *line = pk_slice_skip(*line, 1);
    word = pk_slice_of(line->data, 0);
    while (line->len > 0 && !is_blank(line->data[0])) {
        *line = pk_slice_skip(*line, 1);
        word.len++;
    }
    return word;
}

/* Can stand in a credential: visible characters without those that end it there. */
static bool is_key_id(pk_slice id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (id.data[i] <= ' ' || id.data[i] > '~' || id.data[i] == '/' || id.data[i] == ',')
            return false;
    }
    return id.len > 0;
}

/* One line of the file. What is wrong with it, or NULL. */
static const char *add_line(struct sh_auth_keys *keys, pk_slice line)
{
    pk_slice id = take_word(&line);
    pk_slice text = take_word(&line);
    struct secret *secret;

    if (id.len == 0 || id.data[0] == '#')
        return NULL;
    if (text.len == 0 || take_word(&line).len > 0)
        return "expected 'KEYID SECRET'";
    if (memchr(text.data, '\0', text.len) != NULL)
        return "a NUL byte in the secret";
    if (!is_key_id(id))
        return "the key id has a character that no key id has";
    if (pk_map_get(&keys->secrets, id) != NULL)
        return "the key id is there twice";
    secret = pk_calloc(1, sizeof(*secret));
    secret->text = pk_memdup_cstr(text.data, text.len);
    secret->len = text.len;
    pk_map_put(&keys->secrets, id, secret);
    return NULL;
}

static enum pk_code add_lines(struct sh_auth_keys *keys, const char *path, pk_slice text,
                              struct pk_error *err)
{
    pk_slice line;

    for (unsigned number = LINE_NUMBER_BASE; sh_sign_take(&text, '\n', &line); number++) {
        const char *fault = add_line(keys, line);

        if (fault != NULL)
            return pk_fail(err, PK_E_USAGE, "'%s' line %u: %s", path, number, fault);
    }
    if (keys->secrets.used == 0)
        return pk_fail(err, PK_E_USAGE, "'%s' has no key: expected lines of 'KEYID SECRET'", path);
    return PK_OK;
}

enum pk_code sh_auth_keys_load(const char *path, struct sh_auth_keys **keys, struct pk_error *err)
{
    struct pk_buf text = PK_BUF_INIT;
    struct sh_auth_keys *made = keys_new();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum pk_code rc;

    if (fd < 0)
        rc = pk_fail(err, PK_E_IO, "cannot read '%s': %s", path, strerror(errno));
    else
        rc = read_file(fd, path, &text, err);
    if (rc == PK_OK)
        rc = add_lines(made, path, pk_buf_slice(&text), err);
    if (fd >= 0)
        close(fd);
    if (text.data != NULL)
        explicit_bzero(text.data, text.cap);
    pk_buf_release(&text);
    if (rc == PK_OK)
        *keys = made;
    else
        sh_auth_keys_free(made);
    return rc;
}

/* ---- signing keys ---------------------------------------------------------------------------- */

static bool is_derived(const struct derived *derived, const struct secret *secret,
                       const struct sh_auth_scope *scope)
{
    return derived->secret == secret &&
           pk_slice_equal(pk_slice_of(derived->date, DATE_LEN), scope->date) &&
           pk_slice_equal(pk_slice_of(derived->region, derived->region_len), scope->region);
}

static bool find_derived(struct ring *ring, const struct secret *secret,
                         const struct sh_auth_scope *scope, unsigned char key[KEY_LEN])
{
    bool found = false;

    pthread_mutex_lock(&ring->lock);
    for (size_t i = 0; i < DERIVED && !found; i++) {
        found = is_derived(&ring->derived[i], secret, scope);
        if (found)
            memcpy(key, ring->derived[i].key, KEY_LEN);
    }
    pthread_mutex_unlock(&ring->lock);
    return found;
}

static void keep_derived(struct ring *ring, const struct secret *secret,
                         const struct sh_auth_scope *scope, const unsigned char key[KEY_LEN])
{
    struct derived *derived;

    if (scope->date.len != DATE_LEN || scope->region.len > REGION_MAX || scope->region.len == 0)
        return;
    pthread_mutex_lock(&ring->lock);
    derived = &ring->derived[ring->next];
    ring->next = (ring->next + 1) % DERIVED;
    derived->secret = secret;
    memcpy(derived->date, scope->date.data, DATE_LEN);
    memcpy(derived->region, scope->region.data, scope->region.len);
    derived->region_len = scope->region.len;
    memcpy(derived->key, key, KEY_LEN);
    pthread_mutex_unlock(&ring->lock);
}

bool sh_auth_keys_signing(const struct sh_auth_keys *keys, const struct sh_auth_scope *scope,
                          unsigned char key[KEY_LEN])
{
    const struct secret *secret = pk_map_get(&keys->secrets, scope->key_id);

    if (secret == NULL)
        return false;
    if (!find_derived(keys->ring, secret, scope, key)) {
        sh_sign_key(pk_slice_of(secret->text, secret->len), scope->date, scope->region, key);
        keep_derived(keys->ring, secret, scope, key);
    }
    return true;
}
