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
  /// SHA-512/256 of FIPS 180-4 section 5.3.6.2: a separate initial state, and the first 256 bits.
  CSUMS_SHA512_256,
} csums_kind;

/// The sum of the bytes so far: plain memory, which may be copied to continue from a copy.
typedef struct {
  csums_kind kind;
  /// 8 words of 64 bits, or up to 8 words of 32 bits at the beginning.
  uint64_t state[8];
  /// The number of added bytes.
  uint64_t length;
  /// The added bytes of an incomplete block.
  uint8_t pending[128];
} csums;

void csums_begin(csums *sum, csums_kind kind);

/// Adds bytes; `bytes` may be NULL if `count` is 0.
void csums_update(csums *sum, const void *bytes, size_t count);

/// Writes the sum and returns the length in bytes; `output` has room for 64 bytes. `sum` cannot be used afterwards.
size_t csums_finish(csums *sum, uint8_t *output);

/// True if the processor has instructions for a hash function; the instructions are then used.
int csums_has_instructions(csums_kind kind);

/// Adds whole blocks without such instructions, as `csums_update` does on a processor without the instructions.
void csums_mix_plainly(csums *sum, const void *blocks, size_t count);

#endif
