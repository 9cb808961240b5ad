// What every client of the benchmarks shares: its command line, what it measures, and the line it prints.
#pragma once

#include <stdbool.h>

/// What one process is to do; see `measure_options`.
typedef struct {
  /// Scheme, host and port, without a slash at the end.
  const char *base;
  /// The path, without a slash at the start.
  const char *path;
  /// `data` keeps the body, `decoded` decodes it, `file` writes it to `output`, `discard` counts it.
  const char *mode;
  /// Where mode `file` writes.
  const char *output;
  /// A file of certificates to trust instead of the system's, or NULL.
  const char *authority;
  /// Requests under way at the same time.
  int in_flight;
  /// Requests of the measured part.
  long requests;
  /// Requests before the measured part.
  long warm_up;
  /// Bytes of each body; 0 when it is not checked.
  long size;
  /// What a client that can do several things is to do.
  const char *variant;
  /// Whether the allocations of the measured part are counted; only where CAllocations is linked.
  bool allocations;
  /// When the process was started, in nanoseconds of CLOCK_MONOTONIC; 0 when nobody wants to know.
  long long started;
} measure_options_t;

/// What the process has used so far.
typedef struct {
  double wall_seconds;
  double cpu_seconds;
  long resident_bytes;
} measure_snapshot_t;

/// Reads `--base URL --path PATH --mode MODE --in-flight N --requests N --warm-up N --size N --output FILE --authority FILE
/// --variant NAME --allocations 1 --started NANOSECONDS`; ends the process on anything else. Raises the limit on open files as far as it may.
measure_options_t measure_options(int argc, char *const *argv);

/// Takes the figures of this moment.
measure_snapshot_t measure_now(void);

/// The most memory that the process has had, in bytes.
long measure_peak(void);

/// Of a clock that only counts.
double measure_seconds(void);

/// Prints one line of JSON about the part between two moments; `bytes` is the sum of the bodies.
void measure_print(
  const measure_options_t *options, measure_snapshot_t before, measure_snapshot_t after, long long bytes);

/// Starts to count allocations, if `measure_options` said so.
void measure_allocations_begin(const measure_options_t *options);

/// Stops counting.
void measure_allocations_end(void);
