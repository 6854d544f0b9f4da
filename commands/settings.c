#include "commands/settings.h"

#include "commands/language/lex.h"
#include "commands/sim_settings.h"

enum { ROWS_MAX = 1000000, HISTORY_MAX = 1000000, PACE_MAX_MS = 3600000 };

void cmd_settings_init(struct cmd_settings *settings)
{
    *settings = (struct cmd_settings){
        .mode = CMD_MODE_TABLE,
        .rows = 1000,
        .pager = CMD_AUTO,
        .color = CMD_AUTO,
        .footer_time = true,
        .read_strong = false,
        .history_size = 10000,
        .symbols = CMD_SYMBOLS_AUTO,
        .timer = false,
    };
    pricing_init(&settings->pricing);
}

/* ---- modes ----------------------------------------------------------------------------------- */

const char *cmd_mode_name(enum cmd_mode mode)
{
    switch (mode) {
    case CMD_MODE_TABLE:
        return "table";
    case CMD_MODE_LINE:
        return "line";
    case CMD_MODE_JSON:
        return "json";
    case CMD_MODE_JSONL:
        return "jsonl";
    case CMD_MODE_CSV:
        return "csv";
    case CMD_MODE_MARKDOWN:
        return "markdown";
    }
    pk_bug("no such mode: %d", (int)mode);
}

bool cmd_mode_parse(pk_slice word, enum cmd_mode *mode)
{
    for (int i = CMD_MODE_TABLE; i <= CMD_MODE_MARKDOWN; i++) {
        if (cmd_word_is(word, cmd_mode_name((enum cmd_mode)i))) {
            *mode = (enum cmd_mode)i;
            return true;
        }
    }
    return false;
}

#define PRICE "price."

/* ---- rows ------------------------------------------------------------------------------------ */

const struct cmd_setting cmd_setting_rows[] = {
    {"color", "on|off|auto", "auto", "colours; auto: at a terminal, unless NO_COLOR is set"},
    {"echo", "on|off", "off",
     "statements of files are shown before they run, with the comments above them"},
    {"footer.time", "on|off", "on", "the footer ends with the time the request took"},
    {"history.size", "1..1000000 statements", "10000",
     "how many statements the history file keeps"},
    {"pace", "0 to 1 h", "0",
     "how long an echoed statement stands before it runs, at a terminal"},
    {"pager", "on|off|auto", "auto", "long results go through $PAGER; auto: at a terminal"},
#define XX(name, key, initial, unit, sentence) {PRICE key, unit, initial, sentence},
    PRICING_MAP(XX)
#undef XX
        {"read", "eventual|strong", "eventual", "consistency of reads that do not say 'strong'"},
    {"rows", "1..1000000 items", "1000", "how many items a read shows before 'more'"},
    {"symbols", "utf8|ascii|auto", "auto",
     "what bars and maps are drawn with; auto: by the locale"},
    {NULL, NULL, NULL, NULL},
};

static const char *switch_name(enum cmd_switch value)
{
    switch (value) {
    case CMD_OFF:
        return "off";
    case CMD_ON:
        return "on";
    case CMD_AUTO:
        return "auto";
    }
    pk_bug("no such switch: %d", (int)value);
}

static bool parse_switch(pk_slice value, bool automatic, enum cmd_switch *out)
{
    if (cmd_word_is(value, "on"))
        *out = CMD_ON;
    else if (cmd_word_is(value, "off"))
        *out = CMD_OFF;
    else if (automatic && cmd_word_is(value, "auto"))
        *out = CMD_AUTO;
    else
        return false;
    return true;
}

static bool parse_count(pk_slice value, int64_t max, int64_t *out)
{
    int64_t number = 0;

    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9' || number > max)
            return false;
        number = number * 10 + (value.data[i] - '0');
    }
    if (value.len == 0 || number < 1 || number > max)
        return false;
    *out = number;
    return true;
}

static bool set_read(struct cmd_settings *settings, pk_slice value)
{
    if (!cmd_word_is(value, "strong") && !cmd_word_is(value, "eventual"))
        return false;
    settings->read_strong = cmd_word_is(value, "strong");
    return true;
}

static bool parse_bool(pk_slice value, bool *out)
{
    enum cmd_switch parsed;

    if (!parse_switch(value, false, &parsed))
        return false;
    *out = parsed == CMD_ON;
    return true;
}

static bool set_pace(struct cmd_settings *settings, pk_slice value)
{
    uint64_t ms;

    if (!cmd_parse_duration(value, &ms) || ms > PACE_MAX_MS)
        return false;
    settings->pace_ms = (int64_t)ms;
    return true;
}

static const char *const symbols[] = {"auto", "utf8", "ascii"};

static bool set_symbols(struct cmd_settings *settings, pk_slice value)
{
    for (int i = CMD_SYMBOLS_AUTO; i <= CMD_SYMBOLS_ASCII; i++) {
        if (cmd_word_is(value, symbols[i])) {
            settings->symbols = (enum cmd_symbols)i;
            return true;
        }
    }
    return false;
}

static bool set_value(struct cmd_settings *settings, const char *name, pk_slice value)
{
    bool known;

    if (strncmp(name, PRICE, strlen(PRICE)) == 0)
        return pricing_set(&settings->pricing, pk_slice_cstr(name + strlen(PRICE)), value, &known);
    if (strcmp(name, "color") == 0)
        return parse_switch(value, true, &settings->color);
    if (strcmp(name, "echo") == 0)
        return parse_bool(value, &settings->echo);
    if (strcmp(name, "footer.time") == 0)
        return parse_bool(value, &settings->footer_time);
    if (strcmp(name, "history.size") == 0)
        return parse_count(value, HISTORY_MAX, &settings->history_size);
    if (strcmp(name, "pace") == 0)
        return set_pace(settings, value);
    if (strcmp(name, "pager") == 0)
        return parse_switch(value, true, &settings->pager);
    if (strcmp(name, "read") == 0)
        return set_read(settings, value);
    if (strcmp(name, "symbols") == 0)
        return set_symbols(settings, value);
    return parse_count(value, ROWS_MAX, &settings->rows);
}

enum pk_code cmd_settings_set(struct cmd_settings *settings, pk_slice name, pk_slice value,
                              struct pk_error *err)
{
    for (const struct cmd_setting *row = cmd_setting_rows; row->name != NULL; row++) {
        if (!cmd_word_is(name, row->name))
            continue;
        if (set_value(settings, row->name, value))
            return PK_OK;
        pk_fail(err, PK_E_USAGE, "'%.*s' is no value for %s", PK_FMT(value), row->name);
        pk_error_hint(err, "%s takes %s", row->name, row->unit);
        return PK_E_USAGE;
    }
    pk_fail(err, PK_E_USAGE, "no setting is called '%.*s'", PK_FMT(name));
    pk_error_hint(err, "set alone shows them all");
    return PK_E_USAGE;
}

pk_slice cmd_settings_show(const struct cmd_settings *settings, const char *name,
                           struct pk_arena *arena)
{
    if (strncmp(name, PRICE, strlen(PRICE)) == 0)
        return pricing_show(&settings->pricing, pk_slice_cstr(name + strlen(PRICE)), arena);
    if (strcmp(name, "color") == 0)
        return pk_slice_cstr(switch_name(settings->color));
    if (strcmp(name, "echo") == 0)
        return pk_slice_cstr(settings->echo ? "on" : "off");
    if (strcmp(name, "footer.time") == 0)
        return pk_slice_cstr(settings->footer_time ? "on" : "off");
    if (strcmp(name, "history.size") == 0)
        return pk_arena_printf(arena, "%lld", (long long)settings->history_size);
    if (strcmp(name, "pace") == 0)
        return cmd_duration_text(arena, (uint64_t)settings->pace_ms);
    if (strcmp(name, "pager") == 0)
        return pk_slice_cstr(switch_name(settings->pager));
    if (strcmp(name, "read") == 0)
        return pk_slice_cstr(settings->read_strong ? "strong" : "eventual");
    if (strcmp(name, "symbols") == 0)
        return pk_slice_cstr(symbols[settings->symbols]);
    return pk_arena_printf(arena, "%lld", (long long)settings->rows);
}
