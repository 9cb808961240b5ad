// The types of the functions of libbrotlidec and libzstd that are looked up at run time; no headers of theirs are needed.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// `BrotliDecoderCreateInstance`; without allocators of one's own all arguments are null.
typedef void *(*ccurl_brotli_create)(void *allocate, void *free, void *context);
/// `BrotliDecoderDecompressStream`; the result is 0 to 3.
typedef int (*ccurl_brotli_decode)(
  void *decoder, size_t *available_in, const uint8_t **next_in, size_t *available_out, uint8_t **next_out,
  size_t *total_out);
/// `BrotliDecoderDestroyInstance`.
typedef void (*ccurl_brotli_destroy)(void *decoder);

/// `ZSTD_inBuffer`.
typedef struct {
  const void *bytes;
  size_t size;
  size_t position;
} ccurl_zstd_input;
/// `ZSTD_outBuffer`.
typedef struct {
  void *bytes;
  size_t size;
  size_t position;
} ccurl_zstd_output;
/// `ZSTD_createDCtx`.
typedef void *(*ccurl_zstd_create)(void);
/// `ZSTD_DCtx_setParameter`.
typedef size_t (*ccurl_zstd_set)(void *decoder, int parameter, int value);
/// `ZSTD_decompressStream`; 0 at the end of a frame, the negative of a code as an error.
typedef size_t (*ccurl_zstd_decode)(void *decoder, ccurl_zstd_output *output, ccurl_zstd_input *input);
/// `ZSTD_isError`.
typedef unsigned (*ccurl_zstd_is_error)(size_t code);
/// `ZSTD_freeDCtx`.
typedef size_t (*ccurl_zstd_destroy)(void *decoder);
