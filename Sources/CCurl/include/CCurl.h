// Typed inline wrappers of libcurl's variadic calls, which Swift cannot import. Empty where libcurl is not used.
#pragma once

#if defined(__linux__)

#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing: install libcurl4-openssl-dev (Debian, Ubuntu), libcurl-devel (Fedora) or curl-dev (Alpine)"
#endif
#if !__has_include(<zlib.h>)
#error "zlib's headers are missing: install zlib1g-dev (Debian, Ubuntu), zlib-devel (Fedora) or zlib-dev (Alpine)"
#endif

#include <curl/curl.h>
// Swift's own modules of the system do not have these two.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <zlib.h>

#include "CDecoders.h"

#if LIBCURL_VERSION_NUM < 0x074c00
#error "libcurl is too old: Errand needs 7.76 or newer"
#endif

/// The shape of `CURLOPT_READFUNCTION`, `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`.
typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
/// The shape of `CURLOPT_SEEKFUNCTION`.
typedef int (*ccurl_seek_callback)(void *context, curl_off_t offset, int origin);
/// The shape of `CURLOPT_OPENSOCKETFUNCTION`.
typedef curl_socket_t (*ccurl_open_callback)(
  void *context, curlsocktype purpose, struct curl_sockaddr *address);
/// The shape of `CURLOPT_CLOSESOCKETFUNCTION`.
typedef int (*ccurl_close_callback)(void *context, curl_socket_t socket);
/// The shape of `CURLMOPT_SOCKETFUNCTION`.
typedef int (*ccurl_interest_callback)(
  CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
/// The shape of `CURLMOPT_TIMERFUNCTION`.
typedef int (*ccurl_timer_callback)(CURLM *multi, long milliseconds, void *context);
/// The shape of `CURLOPT_PREREQFUNCTION`.
typedef int (*ccurl_prereq_callback)(
  void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_bytes_callback(CURL *easy, CURLoption option, ccurl_bytes_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_seek_callback(CURL *easy, ccurl_seek_callback value, void *context) {
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode ccurl_set_open_callback(CURL *easy, ccurl_open_callback value, void *context) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

/// The context must live as long as the connection, which libcurl may close long after the transfer.
static inline CURLcode ccurl_set_close_callback(CURL *easy, ccurl_close_callback value, void *context) {
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

/// Fails with `CURLE_UNKNOWN_OPTION` before libcurl 7.80.
static inline CURLcode ccurl_set_prereq_callback(CURL *easy, ccurl_prereq_callback value, void *context) {
#if LIBCURL_VERSION_NUM >= 0x075000
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
#else
  (void)easy, (void)value, (void)context;
  return CURLE_UNKNOWN_OPTION;
#endif
}

/// Lets a transfer end while its name is still looked up; libcurl before 7.87 waits for the lookup then.
static inline CURLcode ccurl_leave_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  CURLcode code = curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
#else
  (void)easy;
  return CURLE_OK;
#endif
}

/// Lets libcurl speak http and https, nothing else.
static inline CURLcode ccurl_allow_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_interest_callback(
  CURLM *multi, ccurl_interest_callback value, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_timer_callback(
  CURLM *multi, ccurl_timer_callback value, void *context) {
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

/// `CURL_SOCKET_TIMEOUT`, which Swift cannot import.
static inline curl_socket_t ccurl_socket_timeout(void) { return CURL_SOCKET_TIMEOUT; }

#endif
