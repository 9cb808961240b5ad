// The functions of libcurl for the transport on Linux, loaded at run time or linked (trait `LinkedCurl`).
//
// Variadic functions have typed variants, because Swift cannot import variadic functions.
#pragma once

#if defined(__linux__)

#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "CCurlABI.h"
#include "CDecoders.h"

/// Returns `NULL`, or the reason for a failure. Call once successfully, before other functions of this header.
const char *ccurl_load(const char *library);

CCURLcode ccurl_global_init(long flags);
ccurl_version_info_data *ccurl_version_info(CCURLversion age);
/// Returns `false` on failure and before libcurl 8.3. Not thread-safe: call before the first transfer.
bool ccurl_trace_http2(void);

// MARK: One transfer

typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
typedef int (*ccurl_open_callback)(void *context, int purpose, ccurl_sockaddr *address);
typedef int (*ccurl_close_callback)(void *context, int socket);
/// A result other than 0 ends the transfer.
typedef int (*ccurl_lookup_callback)(void *resolver, void *reserved, void *context);
typedef int (*ccurl_prereq_callback)(
  void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);
/// libcurl frees the list, even after `CCURL_TRAILERFUNC_ABORT`.
typedef int (*ccurl_trailer_callback)(ccurl_slist **list, void *context);
typedef int (*ccurl_progress_callback)(
  void *context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
/// The text has no terminating zero.
typedef int (*ccurl_debug_callback)(void *easy, int kind, char *text, size_t count, void *context);

void *ccurl_easy_init(void);
void ccurl_easy_cleanup(void *easy);
void ccurl_easy_reset(void *easy);
CCURLcode ccurl_easy_pause(void *easy, int mask);
/// Sends PING frames over the HTTP/2 connections of the multi handle, as far as their interval is over; no effect
/// before libcurl 8.10.
CCURLcode ccurl_easy_upkeep(void *easy);
const char *ccurl_easy_strerror(CCURLcode code);

CCURLcode ccurl_set_long(void *easy, CCURLoption option, long value);
CCURLcode ccurl_set_offset(void *easy, CCURLoption option, int64_t value);
CCURLcode ccurl_set_string(void *easy, CCURLoption option, const char *value);
CCURLcode ccurl_set_pointer(void *easy, CCURLoption option, void *value);
CCURLcode ccurl_set_list(void *easy, CCURLoption option, ccurl_slist *value);
CCURLcode ccurl_set_bytes_callback(void *easy, CCURLoption option, ccurl_bytes_callback value);
CCURLcode ccurl_set_seek_callback(void *easy, ccurl_seek_callback value, void *context);
CCURLcode ccurl_set_open_callback(void *easy, ccurl_open_callback value, void *context);
/// The context must live as long as the connection, which libcurl may close long after the transfer.
CCURLcode ccurl_set_close_callback(void *easy, ccurl_close_callback value, void *context);
CCURLcode ccurl_set_lookup_callback(void *easy, ccurl_lookup_callback value, void *context);
CCURLcode ccurl_set_prereq_callback(void *easy, ccurl_prereq_callback value, void *context);
CCURLcode ccurl_set_trailer_callback(void *easy, ccurl_trailer_callback value, void *context);
/// Appends a copy of the line and returns the list; `NULL` without memory.
ccurl_slist *ccurl_list_append(ccurl_slist *list, const char *line);
CCURLcode ccurl_set_debug_callback(void *easy, ccurl_debug_callback value, void *context);
CCURLcode ccurl_set_progress_callback(void *easy, ccurl_progress_callback value, void *context);
/// Lets a transfer end during its name lookup; no effect before libcurl 7.87.
CCURLcode ccurl_leave_lookups(void *easy);
CCURLcode ccurl_allow_only_http(void *easy);

CCURLcode ccurl_get_long(void *easy, CCURLINFO info, long *value);
CCURLcode ccurl_get_offset(void *easy, CCURLINFO info, int64_t *value);
CCURLcode ccurl_get_string(void *easy, CCURLINFO info, const char **value);
CCURLcode ccurl_get_pointer(void *easy, CCURLINFO info, void **value);

typedef enum {
  /// No TLS connection, or a TLS library without a supported function.
  CCURL_TLS_UNKNOWN,
  CCURL_TLS_NO,
  CCURL_TLS_YES,
} ccurl_tls_answer;

/// YES if the TLS library holds received bytes that libcurl has not read.
ccurl_tls_answer ccurl_tls_has_unread(void *easy);
/// YES if the peer has ended the TLS session by `close_notify`. UNKNOWN with GnuTLS.
ccurl_tls_answer ccurl_tls_has_goodbye(void *easy);
ccurl_tls_answer ccurl_tls_agreed_on_http2(void *easy);

typedef struct {
  const char *version;
  const char *cipher;
  const void *alpn;
  size_t alpn_length;
} ccurl_tls_facts;

/// Returns `false` except with OpenSSL and GnuTLS. The texts are valid as long as the connection.
bool ccurl_tls_describe(void *easy, ccurl_tls_facts *facts);
/// Passes the peer's certificates in DER, the peer's own first. Works with OpenSSL and GnuTLS.
void ccurl_tls_certificates(
  void *easy, void (*take)(void *context, const void *bytes, size_t count), void *context);

// MARK: All transfers of a loop

typedef int (*ccurl_interest_callback)(void *easy, int socket, int what, void *context, void *socket_context);
typedef int (*ccurl_timer_callback)(void *multi, long milliseconds, void *context);

void *ccurl_multi_init(void);
CCURLMcode ccurl_multi_cleanup(void *multi);
CCURLMcode ccurl_multi_add_handle(void *multi, void *easy);
CCURLMcode ccurl_multi_remove_handle(void *multi, void *easy);
CCURLMcode ccurl_multi_socket_action(void *multi, int socket, int events, int *running);
CCURLMcode ccurl_multi_timeout(void *multi, long *milliseconds);
CCURLMsg *ccurl_multi_info_read(void *multi, int *left);
CCURLMcode ccurl_multi_set_long(void *multi, CCURLMoption option, long value);
CCURLMcode ccurl_multi_set_interest_callback(void *multi, ccurl_interest_callback value, void *context);
CCURLMcode ccurl_multi_set_timer_callback(void *multi, ccurl_timer_callback value, void *context);

#endif
