#define _GNU_SOURCE
#include "CMeasure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void raise_file_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void read_option(measure_options_t *options, const char *name, const char *value) {
  if (!strcmp(name, "--base")) options->base = value;
  else if (!strcmp(name, "--path")) options->path = value;
  else if (!strcmp(name, "--mode")) options->mode = value;
  else if (!strcmp(name, "--output")) options->output = value;
  else if (!strcmp(name, "--authority")) options->authority = value;
  else if (!strcmp(name, "--in-flight")) options->in_flight = atoi(value);
  else if (!strcmp(name, "--requests")) options->requests = atol(value);
  else if (!strcmp(name, "--warm-up")) options->warm_up = atol(value);
  else if (!strcmp(name, "--size")) options->size = atol(value);
  else if (!strcmp(name, "--variant")) options->variant = value;
  else if (!strcmp(name, "--allocations")) options->allocations = atoi(value);
  else if (!strcmp(name, "--started")) options->started = atoll(value);
  else {
    fprintf(stderr, "unknown option %s\n", name);
    exit(2);
  }
}

measure_options_t measure_options(int argc, char *const *argv) {
  measure_options_t options = {
    .base = "http://127.0.0.1", .path = "", .mode = "data", .output = "/dev/null", .variant = "",
    .in_flight = 1, .requests = 1};
  if (argc % 2 == 0) {
    fprintf(stderr, "%s has no value\n", argv[argc - 1]);
    exit(2);
  }
  for (int index = 1; index < argc; index += 2) read_option(&options, argv[index], argv[index + 1]);
  raise_file_limit();
  return options;
}

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// A line of /proc/self/status, such as VmRSS, in bytes.
static long status_bytes(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  long kilobytes = 0;
  size_t length = strlen(name);
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, name, length) && line[length] == ':') kilobytes = atol(line + length + 1);
  }
  fclose(file);
  return kilobytes * 1024;
}

measure_snapshot_t measure_now(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  measure_snapshot_t now;
  now.cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  now.resident_bytes = status_bytes("VmRSS");
  now.wall_seconds = seconds_of(CLOCK_MONOTONIC);
  return now;
}

long measure_peak(void) { return status_bytes("VmHWM"); }

double measure_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

/// Of CAllocations: counts while it is true; NULL where that is not linked.
extern atomic_bool allocations_counting __attribute__((weak));
extern atomic_llong allocations_count __attribute__((weak));

void measure_allocations_begin(const measure_options_t *options) {
  if (!options->allocations) return;
  if (!&allocations_counting) {
    fprintf(stderr, "this client counts no allocations\n");
    exit(2);
  }
  atomic_store(&allocations_count, 0);
  atomic_store(&allocations_counting, true);
}

void measure_allocations_end(void) {
  if (&allocations_counting) atomic_store(&allocations_counting, false);
}

void measure_print(
  const measure_options_t *options, measure_snapshot_t before, measure_snapshot_t after, long long bytes) {
  if (options->size && bytes != options->size * options->requests) {
    fprintf(stderr, "%lld bytes came, not %ld times %ld\n", bytes, options->requests, options->size);
    exit(1);
  }
  double start = options->started ? after.wall_seconds - (double)options->started / 1e9 : 0;
  printf(
    "{\"requests\":%ld,\"bytes\":%lld,\"seconds\":%.6f,\"cpuSeconds\":%.6f,\"processCPUSeconds\":%.6f,"
    "\"sinceStartSeconds\":%.6f,\"peakBytes\":%ld,\"grownBytes\":%ld,\"allocations\":%lld}\n",
    options->requests, bytes, after.wall_seconds - before.wall_seconds, after.cpu_seconds - before.cpu_seconds,
    after.cpu_seconds, start, status_bytes("VmHWM"), after.resident_bytes - before.resident_bytes,
    options->allocations ? atomic_load(&allocations_count) : 0);
  fflush(stdout);
}
