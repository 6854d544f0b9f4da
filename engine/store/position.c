#include "engine/store/position.h"

void pk_token_store(uint64_t token, char out[PK_TOKEN_LEN])
{
    for (int i = PK_TOKEN_LEN - 1; i >= 0; i--, token >>= 8)
        out[i] = (char)(unsigned char)token;
}

uint64_t pk_position_token(pk_slice position)
{
    uint64_t token = 0;

    for (size_t i = 0; i < PK_TOKEN_LEN; i++)
        token = token << 8 | (i < position.len ? (unsigned char)position.data[i] : 0);
    return token;
}

pk_slice pk_position_codes(pk_slice position)
{
    return pk_slice_skip(position, PK_TOKEN_LEN);
}
