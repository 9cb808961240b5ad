#ifndef CSUMS_H
#define CSUMS_H

#include <stddef.h>
#include <stdint.h>

/// The hash function of a sum.
typedef enum : uint32_t {
  CSUMS_MD5,
  CSUMS_SHA1,
  CSUMS_SHA256,
  CSUMS_SHA512,
  /// SHA-512/256 of FIPS 180-4 section 5.3.6.2: its own initial state, and the first 256 bits.
  CSUMS_SHA512_256,
} csums_kind;

/// A sum of the bytes so far: plain memory, which may be copied to go on from there more than once.
typedef struct {
  csums_kind kind;
  /// 8 words of 64 bits, or up to 8 words of 32 bits at its beginning.
  uint64_t state[8];
  /// In bytes.
  uint64_t length;
  /// The beginning of a block.
  uint8_t pending[128];
} csums;

void csums_begin(csums *sum, csums_kind kind);

/// `bytes` may be NULL where `count` is 0.
void csums_update(csums *sum, const void *bytes, size_t count);

/// Writes the sum and returns its length in bytes; `output` has room for 64. `sum` itself is used up.
size_t csums_finish(csums *sum, uint8_t *output);

/// Whether the processor has instructions for a hash function, which are then used.
int csums_has_instructions(csums_kind kind);

/// Takes in whole blocks without such instructions; `csums_update` does that where there are none.
void csums_mix_plainly(csums *sum, const void *blocks, size_t count);

#endif
