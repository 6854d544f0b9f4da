/* Hashes: MD5 for the simulated placement, SHA-256 for idempotency tokens and, as HMAC, for
 * signatures, CRC-32 for replies, and a fast one for tables in memory. */
#ifndef PK_BASE_HASH_H
#define PK_BASE_HASH_H

#include <stdint.h>

#include "engine/base/slice.h"

/* First 8 bytes, big endian, of MD5(prefix byte || bytes): the simulated partition hash of
 * partitions-capacity.md §10.2. AWS keeps its own to itself. prefix 0: no prefix byte. */
uint64_t pk_hash_md5_64(char prefix, pk_slice bytes);
void pk_hash_sha256(pk_slice bytes, unsigned char out[32]);
/* HMAC with SHA-256 (RFC 2104); a key of any length. */
void pk_hash_hmac_sha256(pk_slice key, pk_slice bytes, unsigned char out[32]);
/* CRC-32 (IEEE) of more bytes; start with 0. */
uint32_t pk_hash_crc32(uint32_t crc, pk_slice bytes);
/* For hash tables and latch stripes; not stable across versions. */
uint64_t pk_hash_fast(pk_slice bytes);

#endif
