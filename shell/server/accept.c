#include "shell/server/accept.h"

#include "shell/server/http.h"

enum {
    CODINGS = SH_CODING_DEFLATE + 1,
    WEIGHT_ONE = 1000000, /* a weight of 1; smaller ones are rounded, but never to 0 */
    NOT_NAMED = -1
};

struct choice {
    int32_t weight; /* of WEIGHT_ONE, or NOT_NAMED */
    size_t place;   /* of its entry in the header */
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static int32_t parse_weight(pk_slice text)
{
    bool negative = text.len > 0 && text.data[0] == '-', some = false;
    int32_t weight = 0, unit = WEIGHT_ONE;
    size_t at = negative;

    for (; at < text.len && is_digit(text.data[at]); at++) {
        some = some || text.data[at] != '0';
        weight = some ? WEIGHT_ONE : 0;
    }
    if (at == negative)
        return WEIGHT_ONE; /* no number */
    if (at < text.len && text.data[at] == '.')
        for (at++; at < text.len && is_digit(text.data[at]); at++) {
            some = some || text.data[at] != '0';
            unit /= 10;
            if (weight < WEIGHT_ONE)
                weight += unit * (text.data[at] - '0');
        }
    if (at < text.len)
        return WEIGHT_ONE;
    if (negative)
        return 0;
    return some && weight == 0 ? 1 : weight;
}

static int32_t weight_of(pk_slice parameters)
{
    while (parameters.len > 0) {
        pk_slice value;
        pk_slice name = sh_http_cut(sh_http_cut(parameters, ';', &parameters), '=', &value);

        if (sh_http_is_word(name, "q"))
            return parse_weight(sh_http_trim(value));
    }
    return WEIGHT_ONE;
}

static void take(struct choice *choice, int32_t weight, size_t place)
{
    if (weight > choice->weight)
        *choice = (struct choice){weight, place};
}

bool sh_accept_coding(pk_slice header, enum sh_coding *coding)
{
    static const char *const words[CODINGS] = {"gzip", "deflate"};
    struct choice choices[CODINGS] = {{NOT_NAMED, 0}, {NOT_NAMED, 0}};
    struct choice any = {NOT_NAMED, 0}, best = {0, 0};
    size_t place = 0;

    for (; header.len > 0; place++) {
        pk_slice parameters, word;

        word = sh_http_cut(sh_http_cut(header, ',', &header), ';', &parameters);
        for (int i = 0; i < CODINGS; i++)
            if (sh_http_is_word(word, words[i]))
                take(&choices[i], weight_of(parameters), place);
        if (sh_http_is_word(word, "*"))
            take(&any, weight_of(parameters), place);
    }
    for (int i = 0; i < CODINGS; i++) {
        if (choices[i].weight == NOT_NAMED)
            choices[i] = (struct choice){any.weight, place};
        if (choices[i].weight > best.weight || (choices[i].weight == best.weight &&
                                                best.weight > 0 && choices[i].place < best.place)) {
            best = choices[i];
            *coding = (enum sh_coding)i;
        }
    }
    return best.weight > 0;
}
