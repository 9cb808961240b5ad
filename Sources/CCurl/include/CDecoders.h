// The functions of zlib, libbrotlidec and libzstd that Errand uses, loaded at run time. With the trait
// `LinkedCurl`, zlib is linked.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *opaque, unsigned int items, unsigned int size);
  void (*zfree)(void *opaque, void *address);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
} ccurl_z_stream;

#define CCURL_Z_BUF_ERROR (-5)
#define CCURL_Z_OK 0
#define CCURL_Z_STREAM_END 1
#define CCURL_Z_NO_FLUSH 0
#define CCURL_Z_FINISH 4
#define CCURL_MAX_WBITS 15

typedef struct {
  /// `size` is the size of `z_stream`.
  int (*init)(ccurl_z_stream *stream, int bits, const char *version, int size);
  int (*inflate)(ccurl_z_stream *stream, int flush);
  int (*reset)(ccurl_z_stream *stream);
  int (*end)(ccurl_z_stream *stream);
  /// `method` is 8.
  int (*deflate_init)(
    ccurl_z_stream *stream, int level, int method, int bits, int memory, int strategy, const char *version, int size);
  int (*deflate)(ccurl_z_stream *stream, int flush);
  int (*deflate_end)(ccurl_z_stream *stream);
} ccurl_zlib;

/// Returns `false` if the library or a function is missing.
bool ccurl_load_zlib(const char *library, ccurl_zlib *functions);

/// `NULL` arguments mean the default allocator.
typedef void *(*ccurl_brotli_create)(void *allocate, void *free, void *context);
/// The result is 0 error, 1 success, 2 needs input, or 3 needs output.
typedef int (*ccurl_brotli_decode)(
  void *decoder, size_t *available_in, const uint8_t **next_in, size_t *available_out, uint8_t **next_out,
  size_t *total_out);
typedef void (*ccurl_brotli_destroy)(void *decoder);

typedef struct {
  const void *bytes;
  size_t size;
  size_t position;
} ccurl_zstd_input;
typedef struct {
  void *bytes;
  size_t size;
  size_t position;
} ccurl_zstd_output;
typedef void *(*ccurl_zstd_create)(void);
typedef size_t (*ccurl_zstd_set)(void *decoder, int parameter, int value);
/// The result is 0 at the end of a frame, and a negated error code after an error.
typedef size_t (*ccurl_zstd_decode)(void *decoder, ccurl_zstd_output *output, ccurl_zstd_input *input);
typedef unsigned (*ccurl_zstd_is_error)(size_t code);
typedef size_t (*ccurl_zstd_destroy)(void *decoder);
