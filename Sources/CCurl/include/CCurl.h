// What the transport on Linux takes from libcurl and zlib, both loaded at run time; libcurl's variadic calls have a typed
// form here, as Swift cannot import them. Empty where libcurl is not used.
#pragma once

#if defined(__linux__)

#include <stdbool.h>
// Swift's own modules of the system do not have these two.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "CCurlABI.h"
#include "CDecoders.h"

/// Loads libcurl from the shared library of that name; `NULL`, or why it cannot be.
///
/// Nothing else that is declared here may be called before it has succeeded. It succeeds once in a process, and never runs
/// twice at once.
const char *ccurl_load(const char *library);

CCURLcode ccurl_global_init(long flags);
ccurl_version_info_data *ccurl_version_info(CCURLversion age);
/// Makes transfers with `CURLOPT_VERBOSE` tell the steps of HTTP/2; `false` before libcurl 8.3, which cannot.
///
/// The setting belongs to the process. It is not thread-safe: call it once, before the first transfer.
bool ccurl_trace_http2(void);

// MARK: One transfer

/// The shape of `CURLOPT_READFUNCTION`, `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`.
typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
/// The shape of `CURLOPT_SEEKFUNCTION`.
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
/// The shape of `CURLOPT_OPENSOCKETFUNCTION`.
typedef int (*ccurl_open_callback)(void *context, int purpose, ccurl_sockaddr *address);
/// The shape of `CURLOPT_CLOSESOCKETFUNCTION`.
typedef int (*ccurl_close_callback)(void *context, int socket);
/// The shape of `CURLOPT_PREREQFUNCTION`.
typedef int (*ccurl_prereq_callback)(
  void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);
/// The shape of `CURLOPT_TRAILERFUNCTION`: libcurl frees the list, also where it is aborted.
typedef int (*ccurl_trailer_callback)(ccurl_slist **list, void *context);
/// The shape of `CURLOPT_XFERINFOFUNCTION`.
typedef int (*ccurl_progress_callback)(
  void *context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
/// The shape of `CURLOPT_DEBUGFUNCTION`; the text has no end mark.
typedef int (*ccurl_debug_callback)(void *easy, int kind, char *text, size_t count, void *context);

void *ccurl_easy_init(void);
void ccurl_easy_cleanup(void *easy);
void ccurl_easy_reset(void *easy);
CCURLcode ccurl_easy_pause(void *easy, int mask);
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
/// Fails with `CCURLE_UNKNOWN_OPTION` before libcurl 7.80.
CCURLcode ccurl_set_prereq_callback(void *easy, ccurl_prereq_callback value, void *context);
CCURLcode ccurl_set_trailer_callback(void *easy, ccurl_trailer_callback value, void *context);
/// Adds a copy of the line to the end of a list, `NULL` being an empty one, and gives its beginning; `NULL` without memory.
ccurl_slist *ccurl_list_append(ccurl_slist *list, const char *line);
CCURLcode ccurl_set_debug_callback(void *easy, ccurl_debug_callback value, void *context);
CCURLcode ccurl_set_progress_callback(void *easy, ccurl_progress_callback value, void *context);
/// Lets a transfer end while its name is still looked up; libcurl before 7.87 waits for the lookup then.
CCURLcode ccurl_leave_lookups(void *easy);
/// Lets libcurl speak http and https, nothing else.
CCURLcode ccurl_allow_only_http(void *easy);

CCURLcode ccurl_get_long(void *easy, CCURLINFO info, long *value);
CCURLcode ccurl_get_offset(void *easy, CCURLINFO info, int64_t *value);
CCURLcode ccurl_get_string(void *easy, CCURLINFO info, const char **value);
CCURLcode ccurl_get_pointer(void *easy, CCURLINFO info, void **value);

/// What the TLS library under libcurl knows of a connection.
typedef enum {
  /// libcurl uses a TLS library that is not asked here, or none.
  CCURL_TLS_UNKNOWN,
  CCURL_TLS_NO,
  CCURL_TLS_YES,
} ccurl_tls_answer;

/// Whether the connection of a running transfer has bytes that came over the network and were not read yet. It reads nothing.
ccurl_tls_answer ccurl_tls_has_unread(void *easy);
/// Whether its peer has said, by `close_notify`, that nothing more will come.
ccurl_tls_answer ccurl_tls_has_goodbye(void *easy);
/// Whether the two agreed on HTTP/2, by ALPN.
ccurl_tls_answer ccurl_tls_agreed_on_http2(void *easy);

/// What was agreed on for a connection; a text is `NULL` where the library does not tell.
typedef struct {
  const char *version;
  const char *cipher;
  const void *alpn;
  size_t alpn_length;
} ccurl_tls_facts;

/// Tells what the connection of a running transfer agreed on; `false` where nobody can be asked. The texts live as long as it.
bool ccurl_tls_describe(void *easy, ccurl_tls_facts *facts);
/// Gives the certificates of its peer in DER, its own first.
void ccurl_tls_certificates(
  void *easy, void (*take)(void *context, const void *bytes, size_t count), void *context);

// MARK: All transfers of a loop

/// The shape of `CURLMOPT_SOCKETFUNCTION`.
typedef int (*ccurl_interest_callback)(void *easy, int socket, int what, void *context, void *socket_context);
/// The shape of `CURLMOPT_TIMERFUNCTION`.
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
