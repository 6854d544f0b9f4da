/* See the header. */
#include "engine/ops/fault.h"

#include <inttypes.h>
#include <stdarg.h>

#include "engine/store/layout.h"

PK_PRINTF(2, 0) static void say(struct pk_faults *faults, const char *format, va_list args)
{
    struct pk_arena arena = PK_ARENA_INIT;

    if (faults->report.line != NULL)
        faults->report.line(faults->report.context, pk_arena_vprintf(&arena, format, args).data);
    pk_arena_release(&arena);
}

void pk_fault(struct pk_faults *faults, const char *format, ...)
{
    va_list args;

    if (++faults->count > PK_FAULT_LINES_MAX)
        return;
    va_start(args, format);
    say(faults, format, args);
    va_end(args);
}

void pk_fault_note(struct pk_faults *faults, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(faults, format, args);
    va_end(args);
}

void pk_fault_finish(struct pk_faults *faults)
{
    if (faults->count > PK_FAULT_LINES_MAX)
        pk_fault_note(faults, "and %" PRIu64 " further faults", faults->count - PK_FAULT_LINES_MAX);
}

static void add_value(struct pk_buf *out, pk_value value)
{
    char number[PK_NUM_TEXT_MAX];

    if (pk_value_kind(value) == PK_NUMBER) {
        struct pk_num num = pk_value_num(value);

        pk_num_format(&num, number);
        pk_buf_add_cstr(out, number);
        return;
    }
    pk_buf_add_cstr(out, pk_value_kind(value) == PK_BINARY ? "b'" : "'");
    for (uint32_t i = 0; i < value.len; i++) {
        unsigned char byte = (unsigned char)value.u.bytes[i];

        if (pk_value_kind(value) == PK_BINARY || byte < 0x20 || byte == 0x7f)
            pk_buf_printf(out, "%s%02x", pk_value_kind(value) == PK_BINARY ? "" : "\\x", byte);
        else
            pk_buf_add_byte(out, byte);
    }
    pk_buf_add_byte(out, '\'');
}

const char *pk_fault_key(struct pk_arena *arena, pk_slice key)
{
    struct pk_layout_parts parts;
    struct pk_buf text = PK_BUF_INIT;
    pk_slice copy;

    if (!pk_layout_parse(key, arena, &parts))
        return "with malformed key";
    for (size_t i = 0; i < parts.count; i++) {
        if (i > 0)
            pk_buf_add_cstr(&text, ", ");
        add_value(&text, parts.values[i]);
    }
    copy = pk_arena_dup(arena, pk_buf_slice(&text));
    pk_buf_release(&text);
    return copy.data;
}
