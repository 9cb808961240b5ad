// The peer nothing in Swift can beat: libcurl's multi interface from C, on one thread.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMeasure.h"

typedef struct {
  char *bytes;
  size_t count;
  size_t capacity;
} buffer_t;

typedef struct {
  CURL *easy;
  buffer_t head;
  buffer_t body;
} transfer_t;

static measure_options_t options;
static FILE *output;
static long long received;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void append(buffer_t *buffer, const char *bytes, size_t count) {
  if (buffer->count + count > buffer->capacity) {
    buffer->capacity = (buffer->count + count) * 2;
    buffer->bytes = realloc(buffer->bytes, buffer->capacity);
  }
  memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  append(context, bytes, size * count);
  return size * count;
}

static size_t write_out(char *bytes, size_t size, size_t count, void *context) {
  (void)context;
  received += (long long)(size * count);
  return output ? fwrite(bytes, 1, size * count, output) : size * count;
}

static CURL *make_easy(transfer_t *transfer, const char *url) {
  CURL *easy = curl_easy_init();
  int streams = !strcmp(options.mode, "file") || !strcmp(options.mode, "discard");
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, keep);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer->head);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, streams ? write_out : keep);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer->body);
  if (streams) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 102400L); // What the curl command takes.
  if (options.authority) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options.authority);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  }
  return easy;
}

static void start(CURLM *multi, transfer_t *transfer) {
  transfer->head.count = transfer->body.count = 0;
  curl_multi_add_handle(multi, transfer->easy);
}

static void check(transfer_t *transfer, CURLcode result) {
  long status = 0;
  if (result != CURLE_OK) fail("transfer", curl_easy_strerror(result));
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) fail("transfer", "status is not 200");
  received += (long long)transfer->body.count;
}

/// Sends `count` requests, as many at a time as there are transfers.
static void run(CURLM *multi, transfer_t *transfers, long count) {
  long left = count;
  int running = 0, queued;
  for (int index = 0; index < options.in_flight && left > 0; index++, left--) start(multi, &transfers[index]);
  for (long done = 0; done < count;) {
    curl_multi_perform(multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &queued)); done++) {
      transfer_t *transfer;
      CURLcode result = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      curl_multi_remove_handle(multi, transfer->easy);
      check(transfer, result);
      if (left > 0) start(multi, transfer), left--;
    }
    if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
}

int main(int argc, char **argv) {
  options = measure_options(argc, argv);
  if (!strcmp(options.mode, "decoded")) fail("mode", "C decodes nothing");
  if (!strcmp(options.mode, "file")) output = fopen(options.output, "wb");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)options.in_flight + 16);

  char url[2048];
  snprintf(url, sizeof url, "%s/%s", options.base, options.path);
  transfer_t *transfers = calloc((size_t)options.in_flight, sizeof *transfers);
  for (int index = 0; index < options.in_flight; index++) transfers[index].easy = make_easy(&transfers[index], url);

  run(multi, transfers, options.warm_up);
  received = 0;
  measure_snapshot_t before = measure_now();
  run(multi, transfers, options.requests);
  if (output) fclose(output);
  measure_snapshot_t after = measure_now();
  measure_print(&options, before, after, received);
  return 0;
}
