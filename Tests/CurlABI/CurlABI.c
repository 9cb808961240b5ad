// Compares every number and layout that Errand declares of libcurl and zlib with the real headers, where they are installed.
// What a newer libcurl brought is compared with its headers alone.
#include "CurlABI.h"

#if defined(__linux__) && __has_include(<curl/curl.h>) && __has_include(<zlib.h>)

#include <CCurl.h>
#include <curl/curl.h>
#include <stddef.h>
#include <zlib.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

#define SAME(name) _Static_assert((long)C##name == (long)name, #name)
#define SAME_PLACE(ours, theirs, field)                                                                            \
  _Static_assert(                                                                                                  \
    offsetof(ours, field) == offsetof(theirs, field) && sizeof(((ours *)0)->field) == sizeof(((theirs *)0)->field), \
    #theirs "." #field)
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)

SAME(CURLE_OK);
SAME(CURLE_UNSUPPORTED_PROTOCOL);
SAME(CURLE_FAILED_INIT);
SAME(CURLE_URL_MALFORMAT);
SAME(CURLE_NOT_BUILT_IN);
SAME(CURLE_COULDNT_RESOLVE_PROXY);
SAME(CURLE_COULDNT_RESOLVE_HOST);
SAME(CURLE_COULDNT_CONNECT);
SAME(CURLE_WEIRD_SERVER_REPLY);
SAME(CURLE_HTTP2);
SAME(CURLE_PARTIAL_FILE);
SAME(CURLE_WRITE_ERROR);
SAME(CURLE_READ_ERROR);
SAME(CURLE_OUT_OF_MEMORY);
SAME(CURLE_OPERATION_TIMEDOUT);
SAME(CURLE_FTP_COULDNT_USE_REST);
SAME(CURLE_SSL_CONNECT_ERROR);
SAME(CURLE_ABORTED_BY_CALLBACK);
SAME(CURLE_BAD_FUNCTION_ARGUMENT);
SAME(CURLE_INTERFACE_FAILED);
SAME(CURLE_UNKNOWN_OPTION);
SAME(CURLE_SETOPT_OPTION_SYNTAX);
SAME(CURLE_GOT_NOTHING);
SAME(CURLE_SSL_ENGINE_NOTFOUND);
SAME(CURLE_SSL_ENGINE_SETFAILED);
SAME(CURLE_SEND_ERROR);
SAME(CURLE_RECV_ERROR);
SAME(CURLE_SSL_CERTPROBLEM);
SAME(CURLE_SSL_CIPHER);
SAME(CURLE_PEER_FAILED_VERIFICATION);
SAME(CURLE_BAD_CONTENT_ENCODING);
SAME(CURLE_FILESIZE_EXCEEDED);
SAME(CURLE_USE_SSL_FAILED);
SAME(CURLE_SEND_FAIL_REWIND);
SAME(CURLE_SSL_ENGINE_INITFAILED);
SAME(CURLE_LOGIN_DENIED);
SAME(CURLE_SSL_CACERT_BADFILE);
SAME(CURLE_SSL_SHUTDOWN_FAILED);
SAME(CURLE_SSL_CRL_BADFILE);
SAME(CURLE_SSL_ISSUER_ERROR);
SAME(CURLE_NO_CONNECTION_AVAILABLE);
SAME(CURLE_SSL_PINNEDPUBKEYNOTMATCH);
SAME(CURLE_SSL_INVALIDCERTSTATUS);
SAME(CURLE_HTTP2_STREAM);
SAME(CURLE_HTTP3);
SAME(CURLE_QUIC_CONNECT_ERROR);
SAME(CURLE_PROXY);
#if LIBCURL_VERSION_NUM >= 0x074d00
SAME(CURLE_SSL_CLIENTCERT);
#endif
#if LIBCURL_VERSION_NUM >= 0x075400
SAME(CURLE_UNRECOVERABLE_POLL);
#endif
#if LIBCURL_VERSION_NUM >= 0x080600
SAME(CURLE_TOO_LARGE);
#endif
#if LIBCURL_VERSION_NUM >= 0x080800
SAME(CURLE_ECH_REQUIRED);
#endif
SAME(CURLM_CALL_MULTI_PERFORM);
SAME(CURLM_OK);
SAME(CURLMSG_DONE);
SAME(CURLVERSION_FIRST);
SAME(CURLVERSION_EIGHTH);
SAME(CURLOPT_SSLVERSION);
SAME(CURLOPT_HEADER);
SAME(CURLOPT_NOPROGRESS);
SAME(CURLOPT_NOBODY);
SAME(CURLOPT_UPLOAD);
SAME(CURLOPT_FOLLOWLOCATION);
SAME(CURLOPT_HTTPPROXYTUNNEL);
SAME(CURLOPT_FRESH_CONNECT);
SAME(CURLOPT_FORBID_REUSE);
SAME(CURLOPT_CONNECTTIMEOUT);
SAME(CURLOPT_HTTPGET);
SAME(CURLOPT_HTTP_VERSION);
SAME(CURLOPT_BUFFERSIZE);
SAME(CURLOPT_NOSIGNAL);
SAME(CURLOPT_PROXYAUTH);
SAME(CURLOPT_PROTOCOLS);
SAME(CURLOPT_PATH_AS_IS);
SAME(CURLOPT_PIPEWAIT);
SAME(CURLOPT_PROXY_SSLVERSION);
SAME(CURLOPT_SUPPRESS_CONNECT_HEADERS);
SAME(CURLOPT_DISALLOW_USERNAME_IN_URL);
SAME(CURLOPT_HTTP09_ALLOWED);
SAME(CURLOPT_MAXAGE_CONN);
#if LIBCURL_VERSION_NUM >= 0x075700
SAME(CURLOPT_QUICK_EXIT);
#endif
SAME(CURLOPT_WRITEDATA);
SAME(CURLOPT_URL);
SAME(CURLOPT_PROXY);
SAME(CURLOPT_READDATA);
SAME(CURLOPT_ERRORBUFFER);
SAME(CURLOPT_HTTPHEADER);
SAME(CURLOPT_SSLCERT);
SAME(CURLOPT_KEYPASSWD);
SAME(CURLOPT_HEADERDATA);
SAME(CURLOPT_CUSTOMREQUEST);
SAME(CURLOPT_XFERINFODATA);
SAME(CURLOPT_CAINFO);
SAME(CURLOPT_SSLCERTTYPE);
SAME(CURLOPT_SSLKEY);
SAME(CURLOPT_SSLKEYTYPE);
SAME(CURLOPT_CAPATH);
SAME(CURLOPT_PRIVATE);
SAME(CURLOPT_OPENSOCKETDATA);
SAME(CURLOPT_SEEKDATA);
SAME(CURLOPT_PROXYUSERNAME);
SAME(CURLOPT_PROXYPASSWORD);
SAME(CURLOPT_NOPROXY);
SAME(CURLOPT_CLOSESOCKETDATA);
SAME(CURLOPT_PINNEDPUBLICKEY);
SAME(CURLOPT_PROXY_CAINFO);
SAME(CURLOPT_PROXY_CAPATH);
SAME(CURLOPT_TRAILERDATA);
#if LIBCURL_VERSION_NUM >= 0x075000
SAME(CURLOPT_PREREQDATA);
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
SAME(CURLOPT_PROTOCOLS_STR);
#endif
SAME(CURLOPT_WRITEFUNCTION);
SAME(CURLOPT_READFUNCTION);
SAME(CURLOPT_HEADERFUNCTION);
SAME(CURLOPT_OPENSOCKETFUNCTION);
SAME(CURLOPT_SEEKFUNCTION);
SAME(CURLOPT_CLOSESOCKETFUNCTION);
SAME(CURLOPT_XFERINFOFUNCTION);
SAME(CURLOPT_TRAILERFUNCTION);
#if LIBCURL_VERSION_NUM >= 0x075000
SAME(CURLOPT_PREREQFUNCTION);
#endif
SAME(CURLOPT_INFILESIZE_LARGE);
SAME(CURLMOPT_MAXCONNECTS);
SAME(CURLMOPT_MAX_CONCURRENT_STREAMS);
SAME(CURLMOPT_SOCKETDATA);
SAME(CURLMOPT_TIMERDATA);
SAME(CURLMOPT_SOCKETFUNCTION);
SAME(CURLMOPT_TIMERFUNCTION);
SAME(CURLINFO_PRIVATE);
SAME(CURLINFO_PRIMARY_IP);
SAME(CURLINFO_HEADER_SIZE);
SAME(CURLINFO_REQUEST_SIZE);
SAME(CURLINFO_OS_ERRNO);
SAME(CURLINFO_NUM_CONNECTS);
SAME(CURLINFO_PRIMARY_PORT);
SAME(CURLINFO_LOCAL_PORT);
SAME(CURLINFO_HTTP_VERSION);
SAME(CURLINFO_TLS_SSL_PTR);
SAME(CURLINFO_SIZE_UPLOAD_T);
SAME(CURLINFO_SIZE_DOWNLOAD_T);
SAME(CURLINFO_TOTAL_TIME_T);
SAME(CURLINFO_NAMELOOKUP_TIME_T);
SAME(CURLINFO_CONNECT_TIME_T);
SAME(CURLINFO_PRETRANSFER_TIME_T);
SAME(CURLINFO_STARTTRANSFER_TIME_T);
SAME(CURLINFO_APPCONNECT_TIME_T);
SAME(CURLAUTH_BASIC);
SAME(CURLAUTH_DIGEST);
SAME(CURLPAUSE_RECV);
SAME(CURLPAUSE_SEND);
SAME(CURLPROTO_HTTP);
SAME(CURLPROTO_HTTPS);
SAME(CURL_CSELECT_IN);
SAME(CURL_CSELECT_OUT);
SAME(CURL_ERROR_SIZE);
SAME(CURL_GLOBAL_DEFAULT);
SAME(CURL_HTTP_VERSION_1_0);
SAME(CURL_HTTP_VERSION_1_1);
SAME(CURL_HTTP_VERSION_2_0);
SAME(CURL_HTTP_VERSION_3);
SAME(CURL_POLL_IN);
SAME(CURL_POLL_INOUT);
SAME(CURL_POLL_OUT);
SAME(CURL_READFUNC_ABORT);
SAME(CURL_READFUNC_PAUSE);
SAME(CURL_SEEKFUNC_FAIL);
SAME(CURL_SEEKFUNC_OK);
SAME(CURL_SOCKET_TIMEOUT);
SAME(CURL_SSLVERSION_MAX_DEFAULT);
SAME(CURL_SSLVERSION_TLSv1_2);
SAME(CURL_SSLVERSION_TLSv1_3);
SAME(CURLSSLBACKEND_GNUTLS);
SAME(CURLSSLBACKEND_OPENSSL);
SAME(CURLSSLBACKEND_WOLFSSL);
SAME(CURL_TRAILERFUNC_ABORT);
SAME(CURL_TRAILERFUNC_OK);
SAME(CURL_VERSION_HTTP2);
SAME(CURL_VERSION_HTTPS_PROXY);
SAME(CURL_VERSION_SSL);
SAME(CURL_WRITEFUNC_PAUSE);

SAME_SIZE(CCURLcode, CURLcode);
SAME_SIZE(CCURLMcode, CURLMcode);
SAME_SIZE(CCURLoption, CURLoption);
SAME_SIZE(CCURLMoption, CURLMoption);
SAME_SIZE(CCURLINFO, CURLINFO);
SAME_SIZE(CCURLversion, CURLversion);
SAME_SIZE(int64_t, curl_off_t);
SAME_SIZE(int, curl_socket_t);
SAME_SIZE(int, curlsocktype);

SAME_SIZE(CCURLMsg, CURLMsg);
SAME_PLACE(CCURLMsg, CURLMsg, msg);
SAME_PLACE(CCURLMsg, CURLMsg, easy_handle);
SAME_PLACE(CCURLMsg, CURLMsg, data);

SAME_SIZE(ccurl_tlssessioninfo, struct curl_tlssessioninfo);
SAME_PLACE(ccurl_tlssessioninfo, struct curl_tlssessioninfo, backend);
SAME_PLACE(ccurl_tlssessioninfo, struct curl_tlssessioninfo, internals);

SAME_SIZE(ccurl_slist, struct curl_slist);
SAME_PLACE(ccurl_slist, struct curl_slist, data);
SAME_PLACE(ccurl_slist, struct curl_slist, next);

SAME_SIZE(ccurl_sockaddr, struct curl_sockaddr);
SAME_PLACE(ccurl_sockaddr, struct curl_sockaddr, family);
SAME_PLACE(ccurl_sockaddr, struct curl_sockaddr, socktype);
SAME_PLACE(ccurl_sockaddr, struct curl_sockaddr, protocol);
SAME_PLACE(ccurl_sockaddr, struct curl_sockaddr, addrlen);
SAME_PLACE(ccurl_sockaddr, struct curl_sockaddr, addr);

SAME_PLACE(ccurl_version_info_data, curl_version_info_data, age);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, version);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, version_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, host);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, features);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, ssl_version);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, ssl_version_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, libz_version);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, protocols);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, ares);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, ares_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, libidn);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, iconv_ver_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, libssh_version);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, brotli_ver_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, brotli_version);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, nghttp2_ver_num);
SAME_PLACE(ccurl_version_info_data, curl_version_info_data, nghttp2_version);

_Static_assert(CCURL_Z_BUF_ERROR == Z_BUF_ERROR, "Z_BUF_ERROR");
_Static_assert(CCURL_Z_OK == Z_OK, "Z_OK");
_Static_assert(CCURL_Z_STREAM_END == Z_STREAM_END, "Z_STREAM_END");
_Static_assert(CCURL_Z_NO_FLUSH == Z_NO_FLUSH, "Z_NO_FLUSH");
_Static_assert(CCURL_MAX_WBITS == MAX_WBITS, "MAX_WBITS");
_Static_assert(ZLIB_VERNUM >> 12 == 1, "the version that inflateInit2_ is told begins with 1");

SAME_SIZE(ccurl_z_stream, z_stream);
SAME_PLACE(ccurl_z_stream, z_stream, next_in);
SAME_PLACE(ccurl_z_stream, z_stream, avail_in);
SAME_PLACE(ccurl_z_stream, z_stream, total_in);
SAME_PLACE(ccurl_z_stream, z_stream, next_out);
SAME_PLACE(ccurl_z_stream, z_stream, avail_out);
SAME_PLACE(ccurl_z_stream, z_stream, total_out);
SAME_PLACE(ccurl_z_stream, z_stream, msg);
SAME_PLACE(ccurl_z_stream, z_stream, state);
SAME_PLACE(ccurl_z_stream, z_stream, zalloc);
SAME_PLACE(ccurl_z_stream, z_stream, zfree);
SAME_PLACE(ccurl_z_stream, z_stream, opaque);
SAME_PLACE(ccurl_z_stream, z_stream, data_type);
SAME_PLACE(ccurl_z_stream, z_stream, adler);
SAME_PLACE(ccurl_z_stream, z_stream, reserved);

#endif
