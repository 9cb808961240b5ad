#include "CSums.h"

#include <string.h>

#include "Constants.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_INTEL 1
#elif defined(__aarch64__) && defined(__linux__) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#include <sys/auxv.h>
#define HAS_ARM 1
#endif

// Macros and builtins, because a debug build must be fast too.
#define LEFT32(word, count) __builtin_rotateleft32(word, count)
#define RIGHT32(word, count) __builtin_rotateright32(word, count)
#define RIGHT64(word, count) __builtin_rotateright64(word, count)

static uint32_t big32(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word;
}

static uint64_t big64(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static uint32_t little32(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word;
}

// MD5 (RFC 1321 section 3.4)

#define MD5_STEP(mixed, a, b, place, index, shift) \
  a += (mixed) + words[place] + md5_sines[index]; \
  a = LEFT32(a, shift) + b;

#define MD5_FOUR(function, place, i, s1, s2, s3, s4) \
  MD5_STEP(function(b, c, d), a, b, place(i), i, s1) \
  MD5_STEP(function(a, b, c), d, a, place(i + 1), i + 1, s2) \
  MD5_STEP(function(d, a, b), c, d, place(i + 2), i + 2, s3) \
  MD5_STEP(function(c, d, a), b, c, place(i + 3), i + 3, s4)

#define MD5_SIXTEEN(function, place, i, s1, s2, s3, s4) \
  MD5_FOUR(function, place, i, s1, s2, s3, s4) \
  MD5_FOUR(function, place, i + 4, s1, s2, s3, s4) \
  MD5_FOUR(function, place, i + 8, s1, s2, s3, s4) \
  MD5_FOUR(function, place, i + 12, s1, s2, s3, s4)

#define CHOICE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_G(x, y, z) CHOICE(z, x, y)
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))
#define MD5_PLACE1(i) (i)
#define MD5_PLACE2(i) ((5 * (i) + 1) % 16)
#define MD5_PLACE3(i) ((3 * (i) + 5) % 16)
#define MD5_PLACE4(i) (7 * (i) % 16)

static void md5(uint32_t state[4], const uint8_t *blocks, size_t count) {
  for (; count > 0; count--, blocks += 64) {
    uint32_t words[16];
    for (int i = 0; i < 16; i++) words[i] = little32(blocks + 4 * i);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    MD5_SIXTEEN(CHOICE, MD5_PLACE1, 0, 7, 12, 17, 22)
    MD5_SIXTEEN(MD5_G, MD5_PLACE2, 16, 5, 9, 14, 20)
    MD5_SIXTEEN(PARITY, MD5_PLACE3, 32, 4, 11, 16, 23)
    MD5_SIXTEEN(MD5_I, MD5_PLACE4, 48, 6, 10, 15, 21)
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
}

// SHA-1 (FIPS 180-4 section 6.1)

#define SHA1_ROUND(mixed, constant, a, b, e, index) \
  e += LEFT32(a, 5) + (mixed) + constant + words[index]; \
  b = LEFT32(b, 30);

#define SHA1_FIVE(function, constant, i) \
  SHA1_ROUND(function(b, c, d), constant, a, b, e, i) \
  SHA1_ROUND(function(a, b, c), constant, e, a, d, i + 1) \
  SHA1_ROUND(function(e, a, b), constant, d, e, c, i + 2) \
  SHA1_ROUND(function(d, e, a), constant, c, d, b, i + 3) \
  SHA1_ROUND(function(c, d, e), constant, b, c, a, i + 4)

static void sha1(uint32_t state[5], const uint8_t *blocks, size_t count) {
  for (; count > 0; count--, blocks += 64) {
    uint32_t words[80];
    for (int i = 0; i < 16; i++) words[i] = big32(blocks + 4 * i);
    for (int i = 16; i < 80; i++) {
      words[i] = LEFT32(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 20; i += 5) { SHA1_FIVE(CHOICE, 0x5A827999, i) }
    for (int i = 20; i < 40; i += 5) { SHA1_FIVE(PARITY, 0x6ED9EBA1, i) }
    for (int i = 40; i < 60; i += 5) { SHA1_FIVE(MAJORITY, 0x8F1BBCDC, i) }
    for (int i = 60; i < 80; i += 5) { SHA1_FIVE(PARITY, 0xCA62C1D6, i) }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
  }
}

// SHA-256 and SHA-512 (FIPS 180-4 sections 6.2 and 6.4)

#define SIGMA256_BIG0(x) (RIGHT32(x, 2) ^ RIGHT32(x, 13) ^ RIGHT32(x, 22))
#define SIGMA256_BIG1(x) (RIGHT32(x, 6) ^ RIGHT32(x, 11) ^ RIGHT32(x, 25))
#define SIGMA256_SMALL0(x) (RIGHT32(x, 7) ^ RIGHT32(x, 18) ^ ((x) >> 3))
#define SIGMA256_SMALL1(x) (RIGHT32(x, 17) ^ RIGHT32(x, 19) ^ ((x) >> 10))
#define SIGMA512_BIG0(x) (RIGHT64(x, 28) ^ RIGHT64(x, 34) ^ RIGHT64(x, 39))
#define SIGMA512_BIG1(x) (RIGHT64(x, 14) ^ RIGHT64(x, 18) ^ RIGHT64(x, 41))
#define SIGMA512_SMALL0(x) (RIGHT64(x, 1) ^ RIGHT64(x, 8) ^ ((x) >> 7))
#define SIGMA512_SMALL1(x) (RIGHT64(x, 19) ^ RIGHT64(x, 61) ^ ((x) >> 6))

// The next round gets the variables in rotated order, so no word is moved.
#define SHA2_ROUND(size, a, b, c, d, e, f, g, h, place) \
  h += SIGMA##size##_BIG1(e) + CHOICE(e, f, g) + rounds[i + place] + words[place]; \
  d += h; \
  h += SIGMA##size##_BIG0(a) + MAJORITY(a, b, c);

#define SHA2_EIGHT(size, place) \
  SHA2_ROUND(size, a, b, c, d, e, f, g, h, place) \
  SHA2_ROUND(size, h, a, b, c, d, e, f, g, place + 1) \
  SHA2_ROUND(size, g, h, a, b, c, d, e, f, place + 2) \
  SHA2_ROUND(size, f, g, h, a, b, c, d, e, place + 3) \
  SHA2_ROUND(size, e, f, g, h, a, b, c, d, place + 4) \
  SHA2_ROUND(size, d, e, f, g, h, a, b, c, place + 5) \
  SHA2_ROUND(size, c, d, e, f, g, h, a, b, place + 6) \
  SHA2_ROUND(size, b, c, d, e, f, g, h, a, place + 7)

// Replaces a used word with the word for the round 16 rounds later, so 16 words are enough.
#define SHA2_WORD(size, place) \
  words[place] += SIGMA##size##_SMALL1(words[(place + 14) % 16]) + words[(place + 9) % 16] \
    + SIGMA##size##_SMALL0(words[(place + 1) % 16]);

#define SHA2_FOUR_WORDS(size, place) \
  SHA2_WORD(size, place) SHA2_WORD(size, place + 1) SHA2_WORD(size, place + 2) SHA2_WORD(size, place + 3)

#define SHA2(size, word, bits, count_of_rounds) \
  static void sha##size(word state[8], const uint8_t *blocks, size_t count) { \
    const word *rounds = sha##size##_rounds; \
    for (; count > 0; count--, blocks += 2 * bits) { \
      word words[16]; \
      for (int i = 0; i < 16; i++) words[i] = big##bits(blocks + (bits / 8) * i); \
      word a = state[0], b = state[1], c = state[2], d = state[3]; \
      word e = state[4], f = state[5], g = state[6], h = state[7]; \
      for (int i = 0;; i += 16) { \
        SHA2_EIGHT(size, 0) \
        SHA2_EIGHT(size, 8) \
        if (i == count_of_rounds - 16) break; \
        SHA2_FOUR_WORDS(size, 0) \
        SHA2_FOUR_WORDS(size, 4) \
        SHA2_FOUR_WORDS(size, 8) \
        SHA2_FOUR_WORDS(size, 12) \
      } \
      state[0] += a, state[1] += b, state[2] += c, state[3] += d; \
      state[4] += e, state[5] += f, state[6] += g, state[7] += h; \
    } \
  }

SHA2(256, uint32_t, 32, 64)
SHA2(512, uint64_t, 64, 80)

// With the processor's instructions

#if defined(HAS_INTEL)

// INTEL_ROUNDS does four rounds. INTEL_FOUR then replaces the four used words.
#define INTEL_ROUNDS(m0, i) \
  sum = _mm_add_epi32(m0, _mm_loadu_si128((const __m128i *)(sha256_rounds + i))); \
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum); \
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));

#define INTEL_FOUR(m0, m1, m2, m3, i) \
  INTEL_ROUNDS(m0, i) \
  m0 = _mm_add_epi32(_mm_sha256msg1_epu32(m0, m1), _mm_alignr_epi8(m3, m2, 4)); \
  m0 = _mm_sha256msg2_epu32(m0, m3);

#define INTEL_SIXTEEN(i) \
  INTEL_FOUR(m0, m1, m2, m3, i) \
  INTEL_FOUR(m1, m2, m3, m0, i + 4) \
  INTEL_FOUR(m2, m3, m0, m1, i + 8) \
  INTEL_FOUR(m3, m0, m1, m2, i + 12)

#define INTEL_WORDS(i) _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), swapped)

__attribute__((target("sha,sse4.1,ssse3"))) static void sha256_fast(
    uint32_t state[8], const uint8_t *blocks, size_t count) {
  const __m128i swapped = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  // The instructions expect this order of words.
  __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
  for (; count > 0; count--, blocks += 64) {
    const __m128i first = abef, second = cdgh;
    __m128i m0 = INTEL_WORDS(0), m1 = INTEL_WORDS(1), m2 = INTEL_WORDS(2), m3 = INTEL_WORDS(3);
    __m128i sum;
    INTEL_SIXTEEN(0)
    INTEL_SIXTEEN(16)
    INTEL_SIXTEEN(32)
    INTEL_ROUNDS(m0, 48)
    INTEL_ROUNDS(m1, 52)
    INTEL_ROUNDS(m2, 56)
    INTEL_ROUNDS(m3, 60)
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  state[0] = (uint32_t)_mm_extract_epi32(abef, 3), state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
  state[4] = (uint32_t)_mm_extract_epi32(abef, 1), state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
  state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3), state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
  state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1), state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

static int find_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  if (!(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  return b & bit_SHA ? 1 << CSUMS_SHA256 : 0;
}

#elif defined(HAS_ARM)

#define ARM_ROUNDS(m0, i) \
  sum = vaddq_u32(m0, vld1q_u32(sha256_rounds + i)); \
  before = abcd; \
  abcd = vsha256hq_u32(abcd, efgh, sum); \
  efgh = vsha256h2q_u32(efgh, before, sum);

#define ARM_FOUR(m0, m1, m2, m3, i) \
  ARM_ROUNDS(m0, i) \
  m0 = vsha256su1q_u32(vsha256su0q_u32(m0, m1), m2, m3);

#define ARM_SIXTEEN(i) \
  ARM_FOUR(m0, m1, m2, m3, i) \
  ARM_FOUR(m1, m2, m3, m0, i + 4) \
  ARM_FOUR(m2, m3, m0, m1, i + 8) \
  ARM_FOUR(m3, m0, m1, m2, i + 12)

#define ARM_WORDS256(i) vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)))

__attribute__((target("sha2"))) static void sha256_fast(
    uint32_t state[8], const uint8_t *blocks, size_t count) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; count > 0; count--, blocks += 64) {
    const uint32x4_t first = abcd, second = efgh;
    uint32x4_t m0 = ARM_WORDS256(0), m1 = ARM_WORDS256(1), m2 = ARM_WORDS256(2), m3 = ARM_WORDS256(3);
    uint32x4_t sum, before;
    ARM_SIXTEEN(0)
    ARM_SIXTEEN(16)
    ARM_SIXTEEN(32)
    ARM_ROUNDS(m0, 48)
    ARM_ROUNDS(m1, 52)
    ARM_ROUNDS(m2, 56)
    ARM_ROUNDS(m3, 60)
    abcd = vaddq_u32(abcd, first);
    efgh = vaddq_u32(efgh, second);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

// The next rounds get the variables in rotated order.
#define ARM_TWO(ab, cd, ef, gh, m, i) \
  sum = vaddq_u64(m, vld1q_u64(sha512_rounds + i)); \
  sum = vaddq_u64(vextq_u64(sum, sum, 1), gh); \
  sum = vsha512hq_u64(sum, vextq_u64(ef, gh, 1), vextq_u64(cd, ef, 1)); \
  gh = vsha512h2q_u64(sum, cd, ab); \
  cd = vaddq_u64(cd, sum);

#define ARM_NEXT(m, i) \
  m[i] = vsha512su1q_u64(vsha512su0q_u64(m[i], m[(i + 1) % 8]), m[(i + 7) % 8], \
                         vextq_u64(m[(i + 4) % 8], m[(i + 5) % 8], 1));

#define ARM_WORDS512(i) vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(blocks + 16 * i)))

__attribute__((target("sha3"))) static void sha512_fast(
    uint64_t state[8], const uint8_t *blocks, size_t count) {
  uint64x2_t ab = vld1q_u64(state), cd = vld1q_u64(state + 2);
  uint64x2_t ef = vld1q_u64(state + 4), gh = vld1q_u64(state + 6);
  for (; count > 0; count--, blocks += 128) {
    const uint64x2_t first = ab, second = cd, third = ef, fourth = gh;
    uint64x2_t m[8], sum;
    for (int i = 0; i < 8; i++) m[i] = ARM_WORDS512(i);
    for (int i = 0; i < 80; i += 16) {
      for (int j = 0; j < 8; j += 4) {
        ARM_TWO(ab, cd, ef, gh, m[j], i + 2 * j)
        ARM_TWO(gh, ab, cd, ef, m[j + 1], i + 2 * j + 2)
        ARM_TWO(ef, gh, ab, cd, m[j + 2], i + 2 * j + 4)
        ARM_TWO(cd, ef, gh, ab, m[j + 3], i + 2 * j + 6)
      }
      if (i == 64) break;
      for (int j = 0; j < 8; j++) { ARM_NEXT(m, j) }
    }
    ab = vaddq_u64(ab, first);
    cd = vaddq_u64(cd, second);
    ef = vaddq_u64(ef, third);
    gh = vaddq_u64(gh, fourth);
  }
  vst1q_u64(state, ab);
  vst1q_u64(state + 2, cd);
  vst1q_u64(state + 4, ef);
  vst1q_u64(state + 6, gh);
}

// Bits of AT_HWCAP, because the headers of a C library may lack names.
#define CAPABILITY_SHA2 (1 << 6)
#define CAPABILITY_SHA512 (1 << 21)

static int find_instructions(void) {
  unsigned long capabilities = getauxval(AT_HWCAP);
  int found = capabilities & CAPABILITY_SHA2 ? 1 << CSUMS_SHA256 : 0;
  if (capabilities & CAPABILITY_SHA512) found |= 1 << CSUMS_SHA512 | 1 << CSUMS_SHA512_256;
  return found;
}

#else

static int find_instructions(void) { return 0; }

#endif

// Common to all hash functions

int csums_has_instructions(csums_kind kind) {
  // -1 before the first query. Concurrent first queries find the same value.
  static _Atomic int found = -1;
  int known = __c11_atomic_load(&found, __ATOMIC_RELAXED);
  if (known == -1) {
    known = find_instructions();
    __c11_atomic_store(&found, known, __ATOMIC_RELAXED);
  }
  return known >> kind & 1;
}

static int is_wide(const csums *sum) { return sum->kind >= CSUMS_SHA512; }

static size_t block_length(const csums *sum) { return is_wide(sum) ? 128 : 64; }

void csums_begin(csums *sum, csums_kind kind) {
  memset(sum, 0, sizeof *sum);
  sum->kind = kind;
  switch (kind) {
  case CSUMS_MD5: memcpy(sum->state, md5_state, sizeof md5_state); break;
  case CSUMS_SHA1: memcpy(sum->state, sha1_state, sizeof sha1_state); break;
  case CSUMS_SHA256: memcpy(sum->state, sha256_state, sizeof sha256_state); break;
  case CSUMS_SHA512: memcpy(sum->state, sha512_state, sizeof sha512_state); break;
  case CSUMS_SHA512_256: memcpy(sum->state, sha512_256_state, sizeof sha512_256_state); break;
  }
}

void csums_mix_plainly(csums *sum, const void *blocks, size_t count) {
  if (is_wide(sum)) return sha512(sum->state, blocks, count);
  uint32_t state[8];
  memcpy(state, sum->state, sizeof state);
  switch (sum->kind) {
  case CSUMS_MD5: md5(state, blocks, count); break;
  case CSUMS_SHA1: sha1(state, blocks, count); break;
  default: sha256(state, blocks, count); break;
  }
  memcpy(sum->state, state, sizeof state);
}

static void mix(csums *sum, const uint8_t *blocks, size_t count) {
  if (!csums_has_instructions(sum->kind)) return csums_mix_plainly(sum, blocks, count);
#if defined(HAS_ARM)
  if (is_wide(sum)) return sha512_fast(sum->state, blocks, count);
#endif
#if defined(HAS_ARM) || defined(HAS_INTEL)
  uint32_t state[8];
  memcpy(state, sum->state, sizeof state);
  sha256_fast(state, blocks, count);
  memcpy(sum->state, state, sizeof state);
#endif
}

void csums_update(csums *sum, const void *bytes, size_t count) {
  if (count == 0) return;
  const uint8_t *next = bytes;
  size_t block = block_length(sum), kept = (size_t)(sum->length % block);
  sum->length += count;
  if (kept > 0) {
    size_t missing = block - kept < count ? block - kept : count;
    memcpy(sum->pending + kept, next, missing);
    if (kept + missing < block) return;
    mix(sum, sum->pending, 1);
    next += missing;
    count -= missing;
  }
  mix(sum, next, count / block);
  memcpy(sum->pending, next + count / block * block, count % block);
}

size_t csums_finish(csums *sum, uint8_t *output) {
  // Padding: a set bit, zeros, and the length in bits at the end of a block.
  size_t block = block_length(sum), kept = (size_t)(sum->length % block);
  uint64_t bits = sum->length << 3;
  sum->pending[kept++] = 0x80;
  if (kept > block - block / 8) {
    memset(sum->pending + kept, 0, block - kept);
    mix(sum, sum->pending, 1);
    kept = 0;
  }
  memset(sum->pending + kept, 0, block - kept);
  for (int i = 0; i < 8; i++) {
    int place = sum->kind == CSUMS_MD5 ? i : 7 - i;
    sum->pending[block - 8 + (size_t)place] = (uint8_t)(bits >> 8 * i);
  }
  mix(sum, sum->pending, 1);
  static const uint8_t lengths[] = {16, 20, 32, 64, 32};
  size_t length = lengths[sum->kind];
  uint32_t narrow[8];
  memcpy(narrow, sum->state, sizeof narrow);
  for (size_t i = 0; i < length; i++) {
    if (is_wide(sum)) output[i] = (uint8_t)(sum->state[i / 8] >> (56 - 8 * (i % 8)));
    else output[i] = (uint8_t)(narrow[i / 4] >> (sum->kind == CSUMS_MD5 ? 8 * (i % 4) : 24 - 8 * (i % 4)));
  }
  return length;
}
