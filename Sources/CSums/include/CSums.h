#ifndef CSUMS_H
#define CSUMS_H

#include <stddef.h>
#include <stdint.h>

typedef enum : uint32_t {
  CSUMS_MD5,
  CSUMS_SHA1,
  CSUMS_SHA256,
  CSUMS_SHA512,
  /// FIPS 180-4 section 5.3.6.2.
  CSUMS_SHA512_256,
} csums_kind;

/// The state of a hash computation; a copy continues independently.
typedef struct {
  csums_kind kind;
  /// Eight 64-bit words for SHA-512 and SHA-512/256; otherwise 32-bit words at the start.
  uint64_t state[8];
  /// In bytes.
  uint64_t length;
  /// The bytes of an incomplete block.
  uint8_t pending[128];
} csums;

void csums_begin(csums *sum, csums_kind kind);

/// `bytes` may be NULL if `count` is 0.
void csums_update(csums *sum, const void *bytes, size_t count);

/// Returns the length of the hash in bytes, at most 64. Do not use `sum` afterwards.
size_t csums_finish(csums *sum, uint8_t *output);

/// Returns 1 if `csums_update` uses the processor's hash instructions, otherwise 0.
int csums_has_instructions(csums_kind kind);

/// Adds `count` whole blocks without the processor's hash instructions.
void csums_mix_plainly(csums *sum, const void *blocks, size_t count);

#endif
