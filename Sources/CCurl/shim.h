#pragma once
// libcurl's variadic functions, one for each type of argument: Swift cannot call variadics.
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>

static inline CURLcode longhaul_curl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode longhaul_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode longhaul_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}
static inline CURLcode longhaul_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}
/// For the read, write, and header functions, which have the same signature.
static inline CURLcode longhaul_curl_set_transfer(CURL *handle, CURLoption option, curl_write_callback function) {
    return (curl_easy_setopt)(handle, option, function);
}
static inline CURLcode longhaul_curl_set_seek(CURL *handle, curl_seek_callback function) {
    return (curl_easy_setopt)(handle, CURLOPT_SEEKFUNCTION, function);
}
/// Makes libcurl report what it sends and receives.
static inline CURLcode longhaul_curl_set_debug(CURL *handle, curl_debug_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_DEBUGFUNCTION, function);
    if (!code) code = (curl_easy_setopt)(handle, CURLOPT_DEBUGDATA, context);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_VERBOSE, 1L);
}
static inline CURLcode longhaul_curl_set_close(CURL *handle, curl_closesocket_callback function) {
    return (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}
static inline CURLcode longhaul_curl_set_sockopt(CURL *handle, curl_sockopt_callback function) {
    return (curl_easy_setopt)(handle, CURLOPT_SOCKOPTFUNCTION, function);
}
static inline CURLcode longhaul_curl_set_prereq(CURL *handle, curl_prereq_callback function) {
    return (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, function);
}
static inline CURLcode longhaul_curl_set_progress(CURL *handle, curl_xferinfo_callback function) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLSHcode longhaul_curl_share(CURLSH *share, curl_lock_data what) {
    return (curl_share_setopt)(share, CURLSHOPT_SHARE, what);
}
static inline CURLcode longhaul_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}
static inline CURLcode longhaul_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(handle, info, value);
}
static inline CURLcode longhaul_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(handle, info, value);
}
/// Returns the connection's OpenSSL object; NULL if there is none.
static inline void *longhaul_curl_get_openssl(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if ((curl_easy_getinfo)(handle, CURLINFO_TLS_SSL_PTR, &session) || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}
static inline CURLMcode longhaul_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLMcode longhaul_curl_multi_set_socket(CURLM *multi, curl_socket_callback function, void *data) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code ? code : (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, data);
}
static inline CURLMcode longhaul_curl_multi_set_timer(CURLM *multi, curl_multi_timer_callback function, void *data) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, function);
    return code ? code : (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, data);
}
/// Returns whether the default cache of this process has a valid Kerberos ticket: 1 or 0; -1 if that is unknown. The
/// library is that of libcurl, and its types are those of RFC 2744.
static inline int longhaul_has_kerberos_ticket(void) {
    void *library = dlopen("libgssapi_krb5.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return -1;
    uint32_t (*acquire)(uint32_t *, void *, uint32_t, void *, int, void **, void **, uint32_t *);
    uint32_t (*inquire)(uint32_t *, void *, void **, uint32_t *, int *, void **);
    uint32_t (*release)(uint32_t *, void **);
    *(void **)&acquire = dlsym(library, "gss_acquire_cred");
    *(void **)&inquire = dlsym(library, "gss_inquire_cred");
    *(void **)&release = dlsym(library, "gss_release_cred");
    int result = -1;
    if (acquire && inquire && release) {
        // GSS_C_INITIATE; a default credential is looked up when it is inspected.
        uint32_t minor = 0, lifetime = 0;
        void *credential = NULL;
        uint32_t error = acquire(&minor, NULL, 0, NULL, 1, &credential, NULL, NULL);
        if (!error) error = inquire(&minor, credential, NULL, &lifetime, NULL, NULL);
        result = !error && lifetime > 0;
        if (credential) release(&minor, &credential);
    }
    dlclose(library);
    return result;
}
