/*
 * Hashes. OpenSSL's digests cost more to look up than to compute for short input, so the
 * algorithms are fetched once for the process and each thread keeps one context per algorithm,
 * freed when the thread ends. The process-wide part is written once, before anybody reads it, and
 * never again: the only static state of the engine.
 */
#include "engine/base/hash.h"

#include <pthread.h>

#include <openssl/evp.h>
#include <zlib.h>

#include "engine/base/mem.h"

struct digest {
    EVP_MD *algorithm;
    pthread_key_t context; /* this thread's EVP_MD_CTX */
};

static pthread_once_t digests_once = PTHREAD_ONCE_INIT;
static struct digest md5, sha256;

static void context_free(void *context)
{
    EVP_MD_CTX_free(context);
}

static void digest_init(struct digest *digest, const char *name)
{
    digest->algorithm = EVP_MD_fetch(NULL, name, NULL);
    if (digest->algorithm == NULL)
        pk_bug("OpenSSL has no %s", name);
    if (pthread_key_create(&digest->context, context_free) != 0)
        pk_bug("no thread-specific data left for %s", name);
}

static void digests_init(void)
{
    digest_init(&md5, "MD5");
    digest_init(&sha256, "SHA256");
}

static EVP_MD_CTX *digest_context(struct digest *digest)
{
    EVP_MD_CTX *context = pthread_getspecific(digest->context);

    if (context == NULL) {
        context = EVP_MD_CTX_new();
        if (context == NULL || pthread_setspecific(digest->context, context) != 0)
            pk_bug("no memory for a digest context");
    }
    return context;
}

/* The digest of head followed by bytes. */
static void digest_run(struct digest *digest, pk_slice head, pk_slice bytes, unsigned char *out)
{
    EVP_MD_CTX *context = digest_context(digest);
    unsigned int len = 0;

    if (EVP_DigestInit_ex(context, digest->algorithm, NULL) != 1 ||
        EVP_DigestUpdate(context, head.data, head.len) != 1 ||
        EVP_DigestUpdate(context, bytes.data, bytes.len) != 1 ||
        EVP_DigestFinal_ex(context, out, &len) != 1)
        pk_bug("OpenSSL failed to compute a digest");
}

uint64_t pk_hash_md5_64(char prefix, pk_slice bytes)
{
    unsigned char out[16];
    uint64_t hash = 0;

    pthread_once(&digests_once, digests_init);
    digest_run(&md5, pk_slice_of(&prefix, prefix == 0 ? 0 : 1), bytes, out);
    for (int i = 0; i < 8; i++)
        hash = hash << 8 | out[i];
    return hash;
}

void pk_hash_sha256(pk_slice bytes, unsigned char out[32])
{
    pthread_once(&digests_once, digests_init);
    digest_run(&sha256, PK_LIT(""), bytes, out);
}

enum { SHA256_BLOCK = 64, SHA256_BYTES = 32 };

/* The key, made as long as a block, with every byte combined with `pad`. */
static void hmac_pad(pk_slice key, unsigned char pad, char block[SHA256_BLOCK])
{
    memset(block, 0, SHA256_BLOCK);
    if (key.len > SHA256_BLOCK)
        pk_hash_sha256(key, (unsigned char *)block);
    else if (key.len > 0)
        memcpy(block, key.data, key.len);
    for (int i = 0; i < SHA256_BLOCK; i++)
        block[i] = (char)((unsigned char)block[i] ^ pad);
}

/* By hand from two digests: OpenSSL's HMAC looks its algorithm up at every call. */
void pk_hash_hmac_sha256(pk_slice key, pk_slice bytes, unsigned char out[32])
{
    char block[SHA256_BLOCK];
    char inner[SHA256_BYTES];

    pthread_once(&digests_once, digests_init);
    hmac_pad(key, 0x36, block);
    digest_run(&sha256, pk_slice_of(block, SHA256_BLOCK), bytes, (unsigned char *)inner);
    hmac_pad(key, 0x5c, block);
    digest_run(&sha256, pk_slice_of(block, SHA256_BLOCK), pk_slice_of(inner, SHA256_BYTES), out);
}

uint32_t pk_hash_crc32(uint32_t crc, pk_slice bytes)
{
    if (bytes.len == 0)
        return crc;
    return (uint32_t)crc32_z(crc, (const Bytef *)bytes.data, bytes.len);
}

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return bits ^ bits >> 32;
}

uint64_t pk_hash_fast(pk_slice bytes)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * (bytes.len + 1);
    uint64_t word;

    for (; bytes.len >= sizeof(word); bytes = pk_slice_skip(bytes, sizeof(word))) {
        memcpy(&word, bytes.data, sizeof(word));
        hash = mix(hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    }
    if (bytes.len != 0) {
        word = 0;
        memcpy(&word, bytes.data, bytes.len);
        hash ^= word;
    }
    return mix(hash);
}
