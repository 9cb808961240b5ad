#include "CCurl.h"

#if defined(__linux__)

#if !defined(CCURL_LINKED)
#include <dlfcn.h>
#endif
#include <stdlib.h>
#include <string.h>

// Result, name without the prefix `curl_`, and parameters.
#define CCURL_FUNCTIONS(FUNCTION)                                                                          \
  FUNCTION(CCURLcode, global_init, (long flags))                                                           \
  FUNCTION(ccurl_version_info_data *, version_info, (CCURLversion age))                                    \
  FUNCTION(void *, easy_init, (void))                                                                      \
  FUNCTION(void, easy_cleanup, (void *easy))                                                               \
  FUNCTION(void, easy_reset, (void *easy))                                                                 \
  FUNCTION(CCURLcode, easy_pause, (void *easy, int mask))                                                  \
  FUNCTION(CCURLcode, easy_upkeep, (void *easy))                                                           \
  FUNCTION(CCURLcode, easy_setopt, (void *easy, CCURLoption option, ...))                                  \
  FUNCTION(CCURLcode, easy_getinfo, (void *easy, CCURLINFO info, ...))                                     \
  FUNCTION(const char *, easy_strerror, (CCURLcode code))                                                  \
  FUNCTION(ccurl_slist *, slist_append, (ccurl_slist *list, const char *line))                             \
  FUNCTION(void *, multi_init, (void))                                                                     \
  FUNCTION(CCURLMcode, multi_cleanup, (void *multi))                                                       \
  FUNCTION(CCURLMcode, multi_add_handle, (void *multi, void *easy))                                        \
  FUNCTION(CCURLMcode, multi_remove_handle, (void *multi, void *easy))                                     \
  FUNCTION(CCURLMcode, multi_setopt, (void *multi, CCURLMoption option, ...))                              \
  FUNCTION(CCURLMcode, multi_socket_action, (void *multi, int socket, int events, int *running))           \
  FUNCTION(CCURLMcode, multi_timeout, (void *multi, long *milliseconds))                                   \
  FUNCTION(CCURLMsg *, multi_info_read, (void *multi, int *left))

#define CCURL_FIELD(result, name, parameters) result(*name) parameters;
typedef struct {
  CCURL_FUNCTIONS(CCURL_FIELD)
} ccurl_functions;

// Written by the successful load, before any other call. Only read afterwards.
static ccurl_functions curl;

// `curl_global_trace`; `NULL` before libcurl 8.3. Written together with `curl`.
static CCURLcode (*trace)(const char *components);

// `gnutls_datum_t`.
typedef struct {
  unsigned char *data;
  unsigned int size;
} gnutls_text;

// Functions of the TLS library; `NULL` for a missing function. Written together with `curl`.
static struct {
  int (*openssl_has_pending)(const void *session);
  int (*openssl_get_shutdown)(const void *session);
  void (*openssl_get_alpn)(const void *session, const unsigned char **name, unsigned int *length);
  size_t (*gnutls_pending)(void *session);
  int (*gnutls_get_alpn)(void *session, gnutls_text *name);
  int (*wolfssl_pending)(void *session);
  int (*wolfssl_get_shutdown)(const void *session);
  int (*wolfssl_get_alpn)(void *session, char **name, unsigned short *length);
  const char *(*openssl_get_version)(const void *session);
  const void *(*openssl_get_cipher)(const void *session);
  const char *(*openssl_cipher_name)(const void *cipher);
  const void *(*openssl_get_chain)(const void *session);
  int (*openssl_count)(const void *chain);
  void *(*openssl_item)(const void *chain, int index);
  int (*openssl_encode)(const void *certificate, unsigned char **bytes);
  int (*gnutls_get_version)(void *session);
  const char *(*gnutls_version_name)(int version);
  const char *(*gnutls_get_suite)(void *session);
  const gnutls_text *(*gnutls_get_chain)(void *session, unsigned int *count);
} tls;

#if defined(CCURL_LINKED)

#define CCURL_DECLARE(result, name, parameters) extern result curl_##name parameters;
CCURL_FUNCTIONS(CCURL_DECLARE)
extern CCURLcode curl_global_trace(const char *components) __attribute__((weak));

// Weak symbols, because an executable usually links only one TLS library.
extern int SSL_has_pending(const void *session) __attribute__((weak));
extern int SSL_get_shutdown(const void *session) __attribute__((weak));
extern void SSL_get0_alpn_selected(const void *session, const unsigned char **name, unsigned int *length)
    __attribute__((weak));
extern size_t gnutls_record_check_pending(void *session) __attribute__((weak));
extern int gnutls_alpn_get_selected_protocol(void *session, gnutls_text *name) __attribute__((weak));
extern int wolfSSL_pending(void *session) __attribute__((weak));
extern int wolfSSL_get_shutdown(const void *session) __attribute__((weak));
extern int wolfSSL_ALPN_GetProtocol(void *session, char **name, unsigned short *length) __attribute__((weak));
extern const char *SSL_get_version(const void *session) __attribute__((weak));
extern const void *SSL_get_current_cipher(const void *session) __attribute__((weak));
extern const char *SSL_CIPHER_standard_name(const void *cipher) __attribute__((weak));
extern const void *SSL_get_peer_cert_chain(const void *session) __attribute__((weak));
extern int OPENSSL_sk_num(const void *chain) __attribute__((weak));
extern void *OPENSSL_sk_value(const void *chain, int index) __attribute__((weak));
extern int i2d_X509(const void *certificate, unsigned char **bytes) __attribute__((weak));
extern int gnutls_protocol_get_version(void *session) __attribute__((weak));
extern const char *gnutls_protocol_get_name(int version) __attribute__((weak));
extern const char *gnutls_ciphersuite_get(void *session) __attribute__((weak));
extern const gnutls_text *gnutls_certificate_get_peers(void *session, unsigned int *count) __attribute__((weak));

const char *ccurl_load(const char *library) {
  (void)library;
#define CCURL_TAKE(result, name, parameters) curl.name = curl_##name;
  CCURL_FUNCTIONS(CCURL_TAKE)
  trace = curl_global_trace;
  tls.openssl_has_pending = SSL_has_pending;
  tls.openssl_get_shutdown = SSL_get_shutdown;
  tls.openssl_get_alpn = SSL_get0_alpn_selected;
  tls.gnutls_pending = gnutls_record_check_pending;
  tls.gnutls_get_alpn = gnutls_alpn_get_selected_protocol;
  tls.wolfssl_pending = wolfSSL_pending;
  tls.wolfssl_get_shutdown = wolfSSL_get_shutdown;
  tls.wolfssl_get_alpn = wolfSSL_ALPN_GetProtocol;
  tls.openssl_get_version = SSL_get_version;
  tls.openssl_get_cipher = SSL_get_current_cipher;
  tls.openssl_cipher_name = SSL_CIPHER_standard_name;
  tls.openssl_get_chain = SSL_get_peer_cert_chain;
  tls.openssl_count = OPENSSL_sk_num;
  tls.openssl_item = OPENSSL_sk_value;
  tls.openssl_encode = i2d_X509;
  tls.gnutls_get_version = gnutls_protocol_get_version;
  tls.gnutls_version_name = gnutls_protocol_get_name;
  tls.gnutls_get_suite = gnutls_ciphersuite_get;
  tls.gnutls_get_chain = gnutls_certificate_get_peers;
  return NULL;
}

extern int inflateInit2_(ccurl_z_stream *stream, int bits, const char *version, int size);
extern int inflate(ccurl_z_stream *stream, int flush);
extern int inflateReset(ccurl_z_stream *stream);
extern int inflateEnd(ccurl_z_stream *stream);
extern int deflateInit2_(
    ccurl_z_stream *stream, int level, int method, int bits, int memory, int strategy, const char *version, int size);
extern int deflate(ccurl_z_stream *stream, int flush);
extern int deflateEnd(ccurl_z_stream *stream);

bool ccurl_load_zlib(const char *library, ccurl_zlib *functions) {
  (void)library;
  *functions = (ccurl_zlib){
      inflateInit2_, inflate, inflateReset, inflateEnd, deflateInit2_, deflate, deflateEnd};
  return true;
}

#else

const char *ccurl_load(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  ccurl_functions found;
#define CCURL_FIND(result, name, parameters)                                \
  found.name = (result(*) parameters)dlsym(handle, "curl_" #name);          \
  if (!found.name) return "it has no function curl_" #name;
  CCURL_FUNCTIONS(CCURL_FIND)
  curl = found;
  trace = (CCURLcode(*)(const char *))dlsym(handle, "curl_global_trace");
  // `dlsym` also searches the TLS library, because libcurl depends on the TLS library.
  tls.openssl_has_pending = (int (*)(const void *))dlsym(handle, "SSL_has_pending");
  tls.openssl_get_shutdown = (int (*)(const void *))dlsym(handle, "SSL_get_shutdown");
  tls.openssl_get_alpn =
      (void (*)(const void *, const unsigned char **, unsigned int *))dlsym(handle, "SSL_get0_alpn_selected");
  tls.gnutls_pending = (size_t(*)(void *))dlsym(handle, "gnutls_record_check_pending");
  tls.gnutls_get_alpn = (int (*)(void *, gnutls_text *))dlsym(handle, "gnutls_alpn_get_selected_protocol");
  tls.wolfssl_pending = (int (*)(void *))dlsym(handle, "wolfSSL_pending");
  tls.wolfssl_get_shutdown = (int (*)(const void *))dlsym(handle, "wolfSSL_get_shutdown");
  tls.wolfssl_get_alpn = (int (*)(void *, char **, unsigned short *))dlsym(handle, "wolfSSL_ALPN_GetProtocol");
  tls.openssl_get_version = (const char * (*)(const void *))dlsym(handle, "SSL_get_version");
  tls.openssl_get_cipher = (const void * (*)(const void *))dlsym(handle, "SSL_get_current_cipher");
  tls.openssl_cipher_name = (const char * (*)(const void *))dlsym(handle, "SSL_CIPHER_standard_name");
  tls.openssl_get_chain = (const void * (*)(const void *))dlsym(handle, "SSL_get_peer_cert_chain");
  tls.openssl_count = (int (*)(const void *))dlsym(handle, "OPENSSL_sk_num");
  tls.openssl_item = (void * (*)(const void *, int))dlsym(handle, "OPENSSL_sk_value");
  tls.openssl_encode = (int (*)(const void *, unsigned char **))dlsym(handle, "i2d_X509");
  tls.gnutls_get_version = (int (*)(void *))dlsym(handle, "gnutls_protocol_get_version");
  tls.gnutls_version_name = (const char * (*)(int))dlsym(handle, "gnutls_protocol_get_name");
  tls.gnutls_get_suite = (const char * (*)(void *))dlsym(handle, "gnutls_ciphersuite_get");
  tls.gnutls_get_chain = (const gnutls_text * (*)(void *, unsigned int *))dlsym(handle, "gnutls_certificate_get_peers");
  return NULL;
}

bool ccurl_load_zlib(const char *library, ccurl_zlib *functions) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  functions->init = (int (*)(ccurl_z_stream *, int, const char *, int))dlsym(handle, "inflateInit2_");
  functions->inflate = (int (*)(ccurl_z_stream *, int))dlsym(handle, "inflate");
  functions->reset = (int (*)(ccurl_z_stream *))dlsym(handle, "inflateReset");
  functions->end = (int (*)(ccurl_z_stream *))dlsym(handle, "inflateEnd");
  functions->deflate_init =
      (int (*)(ccurl_z_stream *, int, int, int, int, int, const char *, int))dlsym(handle, "deflateInit2_");
  functions->deflate = (int (*)(ccurl_z_stream *, int))dlsym(handle, "deflate");
  functions->deflate_end = (int (*)(ccurl_z_stream *))dlsym(handle, "deflateEnd");
  return functions->init && functions->inflate && functions->reset && functions->end && functions->deflate_init &&
         functions->deflate && functions->deflate_end;
}

#endif

CCURLcode ccurl_global_init(long flags) { return curl.global_init(flags); }
ccurl_version_info_data *ccurl_version_info(CCURLversion age) { return curl.version_info(age); }
bool ccurl_trace_http2(void) { return trace && trace("http/2") == CCURLE_OK; }

// MARK: One transfer

void *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(void *easy) { curl.easy_cleanup(easy); }
void ccurl_easy_reset(void *easy) { curl.easy_reset(easy); }
CCURLcode ccurl_easy_pause(void *easy, int mask) { return curl.easy_pause(easy, mask); }
CCURLcode ccurl_easy_upkeep(void *easy) { return curl.easy_upkeep(easy); }
const char *ccurl_easy_strerror(CCURLcode code) { return curl.easy_strerror(code); }

CCURLcode ccurl_set_long(void *easy, CCURLoption option, long value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_offset(void *easy, CCURLoption option, int64_t value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_string(void *easy, CCURLoption option, const char *value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_pointer(void *easy, CCURLoption option, void *value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_list(void *easy, CCURLoption option, ccurl_slist *value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_bytes_callback(void *easy, CCURLoption option, ccurl_bytes_callback value) {
  return curl.easy_setopt(easy, option, value);
}

CCURLcode ccurl_set_seek_callback(void *easy, ccurl_seek_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_SEEKDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_SEEKFUNCTION, value);
}

CCURLcode ccurl_set_open_callback(void *easy, ccurl_open_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_OPENSOCKETDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_OPENSOCKETFUNCTION, value);
}

CCURLcode ccurl_set_close_callback(void *easy, ccurl_close_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_CLOSESOCKETDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_CLOSESOCKETFUNCTION, value);
}

CCURLcode ccurl_set_lookup_callback(void *easy, ccurl_lookup_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_RESOLVER_START_DATA, context);
  return curl.easy_setopt(easy, CCURLOPT_RESOLVER_START_FUNCTION, value);
}

CCURLcode ccurl_set_prereq_callback(void *easy, ccurl_prereq_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_PREREQDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_PREREQFUNCTION, value);
}

CCURLcode ccurl_set_trailer_callback(void *easy, ccurl_trailer_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_TRAILERDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_TRAILERFUNCTION, value);
}

ccurl_slist *ccurl_list_append(ccurl_slist *list, const char *line) { return curl.slist_append(list, line); }

CCURLcode ccurl_set_progress_callback(void *easy, ccurl_progress_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_XFERINFODATA, context);
  return curl.easy_setopt(easy, CCURLOPT_XFERINFOFUNCTION, value);
}

CCURLcode ccurl_set_debug_callback(void *easy, ccurl_debug_callback value, void *context) {
  curl.easy_setopt(easy, CCURLOPT_DEBUGDATA, context);
  return curl.easy_setopt(easy, CCURLOPT_DEBUGFUNCTION, value);
}

CCURLcode ccurl_leave_lookups(void *easy) {
  CCURLcode code = curl.easy_setopt(easy, CCURLOPT_QUICK_EXIT, 1L);
  return code == CCURLE_UNKNOWN_OPTION ? CCURLE_OK : code;
}

CCURLcode ccurl_allow_only_http(void *easy) {
  CCURLcode code = curl.easy_setopt(easy, CCURLOPT_PROTOCOLS_STR, "http,https");
  if (code != CCURLE_UNKNOWN_OPTION) return code;
  return curl.easy_setopt(easy, CCURLOPT_PROTOCOLS, (long)(CCURLPROTO_HTTP | CCURLPROTO_HTTPS));
}

CCURLcode ccurl_get_long(void *easy, CCURLINFO info, long *value) {
  return curl.easy_getinfo(easy, info, value);
}

CCURLcode ccurl_get_offset(void *easy, CCURLINFO info, int64_t *value) {
  return curl.easy_getinfo(easy, info, value);
}

CCURLcode ccurl_get_string(void *easy, CCURLINFO info, const char **value) {
  return curl.easy_getinfo(easy, info, value);
}

CCURLcode ccurl_get_pointer(void *easy, CCURLINFO info, void **value) {
  return curl.easy_getinfo(easy, info, value);
}

static ccurl_tls_answer answer(bool is_so) { return is_so ? CCURL_TLS_YES : CCURL_TLS_NO; }

// The session exists while the transfer has a connection, such as during a callback.
static ccurl_tlssessioninfo session_of(void *easy) {
  ccurl_tlssessioninfo *session = NULL;
  CCURLcode code = curl.easy_getinfo(easy, CCURLINFO_TLS_SSL_PTR, &session);
  if (code != CCURLE_OK || !session || !session->internals) return (ccurl_tlssessioninfo){0, NULL};
  return *session;
}

ccurl_tls_answer ccurl_tls_has_unread(void *easy) {
  ccurl_tlssessioninfo session = session_of(easy);
  if (session.backend == CCURLSSLBACKEND_OPENSSL && tls.openssl_has_pending)
    return answer(tls.openssl_has_pending(session.internals));
  if (session.backend == CCURLSSLBACKEND_GNUTLS && tls.gnutls_pending)
    return answer(tls.gnutls_pending(session.internals) > 0);
  if (session.backend == CCURLSSLBACKEND_WOLFSSL && tls.wolfssl_pending)
    return answer(tls.wolfssl_pending(session.internals) > 0);
  return CCURL_TLS_UNKNOWN;
}

ccurl_tls_answer ccurl_tls_has_goodbye(void *easy) {
  // SSL_RECEIVED_SHUTDOWN, also in wolfSSL. With GnuTLS, libcurl reports a missing close_notify.
  const int received = 2;
  ccurl_tlssessioninfo session = session_of(easy);
  if (session.backend == CCURLSSLBACKEND_OPENSSL && tls.openssl_get_shutdown)
    return answer(tls.openssl_get_shutdown(session.internals) & received);
  if (session.backend == CCURLSSLBACKEND_WOLFSSL && tls.wolfssl_get_shutdown)
    return answer(tls.wolfssl_get_shutdown(session.internals) & received);
  return CCURL_TLS_UNKNOWN;
}

// The length is 0 without a protocol. Returns `false` if the TLS library has no supported function.
static bool alpn_of(ccurl_tlssessioninfo session, const void **name, size_t *length) {
  *name = NULL, *length = 0;
  if (session.backend == CCURLSSLBACKEND_OPENSSL && tls.openssl_get_alpn) {
    const unsigned char *text = NULL;
    unsigned int count = 0;
    tls.openssl_get_alpn(session.internals, &text, &count);
    *name = text, *length = count;
  } else if (session.backend == CCURLSSLBACKEND_GNUTLS && tls.gnutls_get_alpn) {
    gnutls_text text = {NULL, 0};
    if (tls.gnutls_get_alpn(session.internals, &text) == 0) *name = text.data, *length = text.size;
  } else if (session.backend == CCURLSSLBACKEND_WOLFSSL && tls.wolfssl_get_alpn) {
    char *text = NULL;
    unsigned short count = 0;
    // WOLFSSL_SUCCESS
    if (tls.wolfssl_get_alpn(session.internals, &text, &count) == 1) *name = text, *length = count;
  } else {
    return false;
  }
  return true;
}

ccurl_tls_answer ccurl_tls_agreed_on_http2(void *easy) {
  const void *name;
  size_t length;
  if (!alpn_of(session_of(easy), &name, &length)) return CCURL_TLS_UNKNOWN;
  return answer(name && length == 2 && memcmp(name, "h2", 2) == 0);
}

bool ccurl_tls_describe(void *easy, ccurl_tls_facts *facts) {
  ccurl_tlssessioninfo session = session_of(easy);
  *facts = (ccurl_tls_facts){NULL, NULL, NULL, 0};
  if (session.backend == CCURLSSLBACKEND_OPENSSL && tls.openssl_get_version) {
    facts->version = tls.openssl_get_version(session.internals);
    const void *cipher = tls.openssl_get_cipher ? tls.openssl_get_cipher(session.internals) : NULL;
    if (cipher && tls.openssl_cipher_name) facts->cipher = tls.openssl_cipher_name(cipher);
  } else if (session.backend == CCURLSSLBACKEND_GNUTLS && tls.gnutls_get_version && tls.gnutls_version_name) {
    facts->version = tls.gnutls_version_name(tls.gnutls_get_version(session.internals));
    if (tls.gnutls_get_suite) facts->cipher = tls.gnutls_get_suite(session.internals);
  } else {
    return false;
  }
  alpn_of(session, &facts->alpn, &facts->alpn_length);
  return true;
}

void ccurl_tls_certificates(
    void *easy, void (*take)(void *context, const void *bytes, size_t count), void *context) {
  ccurl_tlssessioninfo session = session_of(easy);
  if (session.backend == CCURLSSLBACKEND_OPENSSL && tls.openssl_get_chain && tls.openssl_count && tls.openssl_item &&
      tls.openssl_encode) {
    const void *chain = tls.openssl_get_chain(session.internals);
    int count = chain ? tls.openssl_count(chain) : 0;
    for (int index = 0; index < count; index++) {
      const void *certificate = tls.openssl_item(chain, index);
      int length = certificate ? tls.openssl_encode(certificate, NULL) : 0;
      unsigned char *bytes = length > 0 ? malloc((size_t)length) : NULL;
      if (!bytes) continue;
      unsigned char *end = bytes;
      if (tls.openssl_encode(certificate, &end) == length) take(context, bytes, (size_t)length);
      free(bytes);
    }
  } else if (session.backend == CCURLSSLBACKEND_GNUTLS && tls.gnutls_get_chain) {
    unsigned int count = 0;
    const gnutls_text *chain = tls.gnutls_get_chain(session.internals, &count);
    for (unsigned int index = 0; chain && index < count; index++) take(context, chain[index].data, chain[index].size);
  }
}


// MARK: All transfers of a loop

void *ccurl_multi_init(void) { return curl.multi_init(); }
CCURLMcode ccurl_multi_cleanup(void *multi) { return curl.multi_cleanup(multi); }
CCURLMcode ccurl_multi_add_handle(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }
CCURLMcode ccurl_multi_remove_handle(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }

CCURLMcode ccurl_multi_socket_action(void *multi, int socket, int events, int *running) {
  return curl.multi_socket_action(multi, socket, events, running);
}

CCURLMcode ccurl_multi_timeout(void *multi, long *milliseconds) { return curl.multi_timeout(multi, milliseconds); }
CCURLMsg *ccurl_multi_info_read(void *multi, int *left) { return curl.multi_info_read(multi, left); }

CCURLMcode ccurl_multi_set_long(void *multi, CCURLMoption option, long value) {
  return curl.multi_setopt(multi, option, value);
}

CCURLMcode ccurl_multi_set_interest_callback(void *multi, ccurl_interest_callback value, void *context) {
  curl.multi_setopt(multi, CCURLMOPT_SOCKETDATA, context);
  return curl.multi_setopt(multi, CCURLMOPT_SOCKETFUNCTION, value);
}

CCURLMcode ccurl_multi_set_timer_callback(void *multi, ccurl_timer_callback value, void *context) {
  curl.multi_setopt(multi, CCURLMOPT_TIMERDATA, context);
  return curl.multi_setopt(multi, CCURLMOPT_TIMERFUNCTION, value);
}

#endif
