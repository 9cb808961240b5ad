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
  /// SHA-512/256 (FIPS 180-4 section 5.3.6.2): a different initial state, and only the first 256
  /// bits.
  CSUMS_SHA512_256,
} csums_kind;

/// The state of a hash computation. A copy of the struct continues independently from the same
/// bytes.
typedef struct {
  csums_kind kind;
  /// Eight 64-bit words for SHA-512 and SHA-512/256; otherwise up to eight 32-bit words at the
  /// start.
  uint64_t state[8];
  /// The number of bytes so far.
  uint64_t length;
  /// The bytes of the last block, until the block is complete.
  uint8_t pending[128];
} csums;

void csums_begin(csums *sum, csums_kind kind);

/// Adds bytes; `bytes` may be NULL if `count` is 0.
void csums_update(csums *sum, const void *bytes, size_t count);

/// Writes the hash and returns its length in bytes, at most 64. Do not use `sum` afterwards.
size_t csums_finish(csums *sum, uint8_t *output);

/// Returns 1 if `csums_update` uses the processor's hash instructions for a hash function,
/// otherwise 0.
///
/// On 64-bit ARM, such instructions are used only on Linux. MD5 and SHA-1 never use such
/// instructions.
int csums_has_instructions(csums_kind kind);

/// Adds `count` whole blocks to the state without the processor's hash instructions.
void csums_mix_plainly(csums *sum, const void *blocks, size_t count);

#endif
