/*
 * libcurl, loaded on demand; see client.h.
 *
 * Traps of CURLOPT_AWS_SIGV4 (7.88): the service must be named, or it is guessed from the host; a
 * header given as "Name:" to remove it is signed and not sent, so none is removed; headers of the
 * list are signed, those curl makes itself are not.
 */
#include "shell/client/client.h"

#define CURL_DISABLE_TYPECHECK /* its macros do not go with functions called by pointer */
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "commands/facts.h"

#define LIBRARY "libcurl.so.4"

enum { POLL_MS = 50, IDLE_MAX = 16 };

/* ---- the library ----------------------------------------------------------------------------- */

#define FUNCTIONS(XX)                                                                              \
    XX(global_init)                                                                                \
    XX(global_cleanup)                                                                             \
    XX(easy_init)                                                                                  \
    XX(easy_setopt)                                                                                \
    XX(easy_getinfo)                                                                               \
    XX(easy_reset)                                                                                 \
    XX(easy_cleanup)                                                                               \
    XX(easy_strerror)                                                                              \
    XX(getdate)                                                                                    \
    XX(slist_append)                                                                               \
    XX(slist_free_all)                                                                             \
    XX(multi_init)                                                                                 \
    XX(multi_add_handle)                                                                           \
    XX(multi_remove_handle)                                                                        \
    XX(multi_perform)                                                                              \
    XX(multi_poll)                                                                                 \
    XX(multi_info_read)                                                                            \
    XX(multi_cleanup)

struct library {
    void *handle;
#define MEMBER(name) __typeof__(&curl_##name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

static bool find(void *handle, const char *name, void *function, size_t size)
{
    void *address = dlsym(handle, name);

    /* ISO C converts no object pointer to a function pointer, POSIX says they are alike */
    memcpy(function, &address, size);
    return address != NULL;
}

static enum pk_code load(struct library *library, struct pk_error *err)
{
    library->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        pk_fail(err, PK_E_UNREACHABLE, "endpoints need the library %s: %s", LIBRARY, dlerror());
        pk_error_hint(err, "Debian has it in the package libcurl4");
        return PK_E_UNREACHABLE;
    }
#define FIND(name)                                                                                 \
    if (!find(library->handle, "curl_" #name, &library->name, sizeof(library->name)))              \
        return pk_fail(err, PK_E_UNREACHABLE, "%s has no curl_%s", LIBRARY, #name);
    FUNCTIONS(FIND)
#undef FIND
    if (library->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return pk_fail(err, PK_E_UNREACHABLE, "%s cannot be set up", LIBRARY);
    return PK_OK;
}

/* ---- the client ------------------------------------------------------------------------------ */

/* A connection, or one to be. */
struct wire {
    CURL *easy;
    CURLM *multi;
    struct wire *next;
};

struct sh_client {
    struct library library;
    const struct sh_aws_account *account; /* borrowed */
    char *sigv4;                          /* CURLOPT_AWS_SIGV4 */
    pthread_mutex_t lock;                 /* of idle and idle_count */
    struct wire *idle;
    size_t idle_count;
};

static void free_wire(const struct library *library, struct wire *wire)
{
    if (wire->easy != NULL)
        library->easy_cleanup(wire->easy);
    if (wire->multi != NULL)
        (void)library->multi_cleanup(wire->multi);
    free(wire);
}

static struct wire *take_wire(struct sh_client *client)
{
    struct wire *wire;

    pthread_mutex_lock(&client->lock);
    wire = client->idle;
    if (wire != NULL) {
        client->idle = wire->next;
        client->idle_count--;
    }
    pthread_mutex_unlock(&client->lock);
    if (wire != NULL)
        return wire;
    wire = pk_calloc(1, sizeof(*wire));
    wire->easy = client->library.easy_init();
    wire->multi = client->library.multi_init();
    if (wire->easy != NULL && wire->multi != NULL)
        return wire;
    free_wire(&client->library, wire);
    return NULL;
}

/* For the next request, connection and all; one that was broken off is closed. */
static void give_back(struct sh_client *client, struct wire *wire, bool sound)
{
    client->library.easy_reset(wire->easy);
    pthread_mutex_lock(&client->lock);
    sound = sound && client->idle_count < IDLE_MAX;
    if (sound) {
        wire->next = client->idle;
        client->idle = wire;
        client->idle_count++;
    }
    pthread_mutex_unlock(&client->lock);
    if (!sound)
        free_wire(&client->library, wire);
}

enum pk_code sh_client_open(const struct sh_aws_account *account, struct sh_client **client,
                            struct pk_error *err)
{
    struct sh_client *opened = pk_calloc(1, sizeof(*opened));
    struct pk_buf sigv4 = PK_BUF_INIT;
    enum pk_code rc = load(&opened->library, err);

    if (rc != PK_OK) {
        if (opened->library.handle != NULL)
            dlclose(opened->library.handle);
        free(opened);
        return rc;
    }
    pk_buf_printf(&sigv4, "aws:amz:%s:dynamodb", account->region);
    opened->sigv4 = pk_buf_detach(&sigv4);
    opened->account = account;
    pthread_mutex_init(&opened->lock, NULL);
    *client = opened;
    return PK_OK;
}

/* The library stays loaded: OpenSSL's exit handlers point into what it brought along. */
void sh_client_free(struct sh_client *client)
{
    if (client == NULL)
        return;
    while (client->idle != NULL) {
        struct wire *wire = client->idle;

        client->idle = wire->next;
        free_wire(&client->library, wire);
    }
    client->library.global_cleanup();
    pthread_mutex_destroy(&client->lock);
    free(client->sigv4);
    free(client);
}

/* ---- what comes back ------------------------------------------------------------------------- */

void sh_client_answer_release(struct sh_client_answer *answer)
{
    pk_buf_release(&answer->body);
    free(answer->facts);
    *answer = (struct sh_client_answer){.date_s = -1};
}

/* One request under way. */
struct exchange {
    struct sh_client *client;
    const struct sh_client_request *request;
    struct sh_client_answer *answer;
    struct wire *wire;
    struct curl_slist *headers;
    CURLcode refused; /* the first option that curl did not take */
    bool too_large;
    char text[CURL_ERROR_SIZE];
};

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    struct pk_buf *body = &exchange->answer->body;

    if (size * count > SH_CLIENT_BODY_MAX - body->len) {
        exchange->too_large = true;
        return 0;
    }
    pk_buf_add(body, pk_slice_of(data, size * count));
    return size * count;
}

static pk_slice trim(pk_slice text)
{
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = pk_slice_skip(text, 1);
    while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL)
        text.len--;
    return text;
}

static bool take_number(pk_slice text, uint32_t *number)
{
    uint64_t value = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(text.data[i] - '0');
    }
    *number = (uint32_t)value;
    return text.len > 0 && value <= UINT32_MAX;
}

static bool is_name(pk_slice name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.data, wanted, name.len) == 0;
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    struct sh_client_answer *answer = exchange->answer;
    pk_slice line = pk_slice_of(data, size * count);
    const char *colon = memchr(line.data, ':', line.len);
    pk_slice name, value;

    if (colon == NULL)
        return line.len;
    name = pk_slice_of(line.data, (size_t)(colon - line.data));
    value = trim(pk_slice_skip(line, name.len + 1));
    if (is_name(name, "x-amz-crc32")) {
        answer->has_crc = take_number(value, &answer->crc);
    } else if (is_name(name, CMD_FACTS_HEADER)) {
        free(answer->facts);
        answer->facts = pk_memdup_cstr(value.data, value.len);
    } else if (is_name(name, "date")) {
        char *text = pk_memdup_cstr(value.data, value.len);

        answer->date_s = (int64_t)exchange->client->library.getdate(text, NULL);
        free(text);
    }
    return line.len;
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static void note(struct exchange *exchange, CURLcode code)
{
    if (exchange->refused == CURLE_OK)
        exchange->refused = code;
}

static void set_long(struct exchange *exchange, CURLoption option, long value)
{
    note(exchange, exchange->client->library.easy_setopt(exchange->wire->easy, option, value));
}

/* A text, or an object; NULL is not set. */
static void set_pointer(struct exchange *exchange, CURLoption option, const void *value)
{
    if (value != NULL)
        note(exchange, exchange->client->library.easy_setopt(exchange->wire->easy, option, value));
}

static void add_header(struct exchange *exchange, const char *name, const char *value)
{
    struct pk_buf line = PK_BUF_INIT;
    struct curl_slist *longer;

    pk_buf_printf(&line, "%s: %s", name, value);
    longer = exchange->client->library.slist_append(exchange->headers, line.data);
    if (longer == NULL)
        note(exchange, CURLE_OUT_OF_MEMORY);
    else
        exchange->headers = longer;
    pk_buf_release(&line);
}

static void set_headers(struct exchange *exchange)
{
    add_header(exchange, "Content-Type", "application/x-amz-json-1.0");
    add_header(exchange, "X-Amz-Target", exchange->request->target);
    if (exchange->client->account->token != NULL)
        add_header(exchange, "X-Amz-Security-Token", exchange->client->account->token);
    if (exchange->request->facts)
        add_header(exchange, CMD_FACTS_HEADER, "1");
    set_pointer(exchange, CURLOPT_HTTPHEADER, exchange->headers);
}

static void set_limits(struct exchange *exchange)
{
    set_long(exchange, CURLOPT_CONNECTTIMEOUT_MS, SH_CLIENT_CONNECT_MS);
    if (exchange->request->hurried)
        set_long(exchange, CURLOPT_TIMEOUT_MS, SH_CLIENT_HURRIED_MS);
    if (!exchange->request->patient) {
        set_long(exchange, CURLOPT_LOW_SPEED_LIMIT, 1);
        set_long(exchange, CURLOPT_LOW_SPEED_TIME, SH_CLIENT_SILENCE_S);
    }
    set_long(exchange, CURLOPT_TCP_KEEPALIVE, 1);
}

static void set_options(struct exchange *exchange)
{
    const struct sh_aws_account *account = exchange->client->account;
    const struct sh_client_request *request = exchange->request;
    CURL *easy = exchange->wire->easy;
    const struct library *library = &exchange->client->library;

    set_pointer(exchange, CURLOPT_URL, request->url);
    set_pointer(exchange, CURLOPT_PROTOCOLS_STR, "http,https");
    set_long(exchange, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    set_long(exchange, CURLOPT_NOSIGNAL, 1);
    set_long(exchange, CURLOPT_FOLLOWLOCATION, 0);
    set_long(exchange, CURLOPT_SSL_VERIFYPEER, 1);
    set_long(exchange, CURLOPT_SSL_VERIFYHOST, 2);
    set_pointer(exchange, CURLOPT_CAINFO, account->ca_bundle);
    set_pointer(exchange, CURLOPT_NOPROXY, account->url.local ? "*" : NULL);
    set_pointer(exchange, CURLOPT_USERAGENT, "pksk/" PKSK_VERSION);
    set_pointer(exchange, CURLOPT_AWS_SIGV4, exchange->client->sigv4);
    set_pointer(exchange, CURLOPT_USERNAME, account->key_id);
    set_pointer(exchange, CURLOPT_PASSWORD, account->secret);
    note(exchange,
         library->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len));
    set_pointer(exchange, CURLOPT_POSTFIELDS, request->body.data);
    note(exchange, library->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body));
    set_pointer(exchange, CURLOPT_WRITEDATA, exchange);
    note(exchange, library->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header));
    set_pointer(exchange, CURLOPT_HEADERDATA, exchange);
    set_pointer(exchange, CURLOPT_ERRORBUFFER, exchange->text);
    set_headers(exchange);
    set_limits(exchange);
}

/* ---- the exchange ---------------------------------------------------------------------------- */

static bool is_cancelled(const struct sh_client_request *request)
{
    return request->cancel != NULL && atomic_load(request->cancel);
}

static CURLcode result_of(const struct exchange *exchange)
{
    int left = 0;
    const CURLMsg *message =
        exchange->client->library.multi_info_read(exchange->wire->multi, &left);

    return message != NULL && message->msg == CURLMSG_DONE ? message->data.result
                                                           : CURLE_FAILED_INIT;
}

/* Waits in slices, so that a cancel is heard. */
static CURLcode perform(const struct exchange *exchange)
{
    const struct library *library = &exchange->client->library;
    CURLM *multi = exchange->wire->multi;
    int running = 1;
    CURLMcode rc = library->multi_perform(multi, &running);

    while (rc == CURLM_OK && running > 0) {
        if (is_cancelled(exchange->request))
            return CURLE_ABORTED_BY_CALLBACK;
        rc = library->multi_poll(multi, NULL, 0, POLL_MS, NULL);
        if (rc == CURLM_OK)
            rc = library->multi_perform(multi, &running);
    }
    return rc == CURLM_OK ? result_of(exchange) : CURLE_FAILED_INIT;
}

static bool is_lost(CURLcode code)
{
    static const CURLcode codes[] = {
        CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
        CURLE_OPERATION_TIMEDOUT,    CURLE_SEND_ERROR,           CURLE_RECV_ERROR,
        CURLE_GOT_NOTHING,           CURLE_PARTIAL_FILE,         CURLE_WEIRD_SERVER_REPLY,
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (code == codes[i])
            return true;
    return false;
}

/* The system's own word for why no connection was made, else curl's. */
static void say_failure(struct exchange *exchange, CURLcode code)
{
    struct sh_client_answer *answer = exchange->answer;
    const struct library *library = &exchange->client->library;
    const char *text = exchange->text[0] != '\0' ? exchange->text : library->easy_strerror(code);
    long failure = 0;

    if (exchange->too_large) {
        (void)snprintf(answer->failure, sizeof(answer->failure), "the answer is larger than %d MB",
                       SH_CLIENT_BODY_MAX >> 20);
        return;
    }
    if (code == CURLE_COULDNT_CONNECT)
        (void)library->easy_getinfo(exchange->wire->easy, CURLINFO_OS_ERRNO, &failure);
    (void)snprintf(answer->failure, sizeof(answer->failure), "%s",
                   failure != 0 ? strerror((int)failure) : text);
}

static enum sh_client_outcome outcome_of(struct exchange *exchange, CURLcode code)
{
    if (code == CURLE_OK) {
        (void)exchange->client->library.easy_getinfo(exchange->wire->easy, CURLINFO_RESPONSE_CODE,
                                                     &exchange->answer->status);
        return SH_CLIENT_ANSWERED;
    }
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return SH_CLIENT_CANCELLED;
    say_failure(exchange, code);
    return is_lost(code) && !exchange->too_large ? SH_CLIENT_LOST : SH_CLIENT_FAILED;
}

static CURLcode run(struct exchange *exchange)
{
    const struct library *library = &exchange->client->library;
    CURLcode code;

    set_options(exchange);
    if (exchange->refused != CURLE_OK)
        return exchange->refused;
    if (library->multi_add_handle(exchange->wire->multi, exchange->wire->easy) != CURLM_OK)
        return CURLE_FAILED_INIT;
    code = perform(exchange);
    (void)library->multi_remove_handle(exchange->wire->multi, exchange->wire->easy);
    return code;
}

enum sh_client_outcome sh_client_post(struct sh_client *client,
                                      const struct sh_client_request *request,
                                      struct sh_client_answer *answer)
{
    struct exchange exchange = {
        .client = client, .request = request, .answer = answer, .wire = take_wire(client)};
    enum sh_client_outcome outcome;
    CURLcode code;

    sh_client_answer_release(answer);
    if (exchange.wire == NULL) {
        (void)snprintf(answer->failure, sizeof(answer->failure), "%s gives no handle", LIBRARY);
        return SH_CLIENT_FAILED;
    }
    code = run(&exchange);
    outcome = outcome_of(&exchange, code);
    client->library.slist_free_all(exchange.headers);
    give_back(client, exchange.wire, code == CURLE_OK);
    return outcome;
}
