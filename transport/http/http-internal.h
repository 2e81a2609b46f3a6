/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this folder share. */
#ifndef TRANSPORT_HTTP_HTTP_INTERNAL_H
#define TRANSPORT_HTTP_HTTP_INTERNAL_H

#include <curl/curl.h>
#include "credential/credential.h"
#include "transport/http/http.h"

enum http_follow { HTTP_FOLLOW_NONE, HTTP_FOLLOW_INITIAL, HTTP_FOLLOW_ALL };
enum http_empty_auth { HTTP_EMPTY_AUTH_AUTO, HTTP_EMPTY_AUTH_ON, HTTP_EMPTY_AUTH_OFF };

/* ---- http-config.c: http.* for one URL, and the environment ---- */
struct http_settings {
	char *ssl_cert, *ssl_cert_type, *ssl_key, *ssl_key_type, *ssl_ca_info, *ssl_ca_path, *ssl_version,
		*ssl_ciphers, *ssl_backend, *pinned_key;
	char *proxy, *proxy_auth_method, *proxy_cert, *proxy_key, *proxy_ca_info;
	char *cookie_file, *user_agent, *version, *delegation, *proactive_auth, *empty_auth_word, *follow_word;
	bool no_verify, ssl_verify, cert_password, proxy_cert_password, save_cookies;
	long low_speed_limit, low_speed_time, keep_idle, keep_interval, keep_count, max_requests; /* -1: not said */
	long max_retries, retry_after, max_retry_time;
	long post_buffer;
	enum http_follow follow;
	enum http_empty_auth empty_auth;
	struct strvec headers, resolve;
};
MUST_USE int http_settings_read(struct http_settings *s, const struct http_client_options *o, struct err *err);
void http_settings_release(struct http_settings *s);

/* ---- http-trace-data.c: bodies in traces ---- */
/*
 * Removes passwords from one body, in the pieces that libcurl hands over. Chunks of a body (RFC 9112) may end anywhere, so the lines
 * between them do not end a URL. An incomplete URL is held back until its end, because its password may still come.
 */
struct http_redactor {
	struct strbuf held; /* from "://" on */
	char line[16];	    /* perhaps the line between two chunks */
	size_t line_len;
	bool over; /* the URL is longer than `held` may be: all of it is hidden */
};
#define HTTP_REDACTOR_INIT { .held = STRBUF_INIT }

/* Appends the next piece without passwords. A byte that is not printable becomes '.'. */
void http_redactor_add(struct http_redactor *r, struct strbuf *out, const char *p, size_t len);
/* The body ends: append the rest. Only the user is shown of an incomplete URL. */
void http_redactor_end(struct http_redactor *r, struct strbuf *out);
void http_redactor_release(struct http_redactor *r);

/* ---- http-trace.c: GIT_TRACE_CURL ---- */
struct http_trace {
	bool data, secret; /* show bodies; hide secrets */
	struct http_redactor sent, received;
	struct strbuf sent_line; /* the last line of headers, if its end is missing */
};
#define HTTP_TRACE_INIT { .sent = HTTP_REDACTOR_INIT, .received = HTTP_REDACTOR_INIT, .sent_line = STRBUF_INIT }

/* False: nothing is traced. */
bool http_trace_start(struct http_trace *t);
/* The function that libcurl calls; `user` is a struct http_trace. */
int http_trace_show(CURL *easy, curl_infotype type, char *p, size_t len, void *user);
/* An exchange is over: shows the rest. */
void http_trace_end(struct http_trace *t);
void http_trace_release(struct http_trace *t);

/* ---- the client ---- */
struct http_client {
	struct http_client_options o;
	struct http_settings set;
	char *base;	/* the URL with '/' at its end, without user and password; redirects change it */
	char *shown;	/* as it was given, for messages */
	bool moved;	/* base has another host, scheme or port than the given URL */
	CURL *easy;	/* of the last exchange, or the next one: see http_renew */
	CURLSH *share;	/* cookies, which outlive a handle */
	bool used;	/* easy has been used for an exchange */
	CURLM *multi;
	struct curl_slist *resolve;
	char error[CURL_ERROR_SIZE];
	struct http_trace trace;
	/* http-auth.c */
	struct credential auth, proxy_auth, cert_auth, proxy_cert_auth;
	unsigned long methods; /* CURLAUTH_* that are still worth a try */
	bool narrowed;	       /* to what the server offers */
	bool auth_filled, auth_sent, empty_sent, proxy_filled; /* sent: by the last request */
};

struct http_request;
/* ---- http-setup.c ---- */
MUST_USE int http_setup(struct http_client *c, struct err *err);
/*
 * Before each exchange: a new handle with the same settings. libcurl 7.88 keeps a pointer to the last header from one transfer of a
 * handle to the next, although it frees that header. A server whose next answer begins with a folded line makes libcurl use it.
 * Exception: a body that is streamed after a probe with Digest, NTLM or Negotiate keeps the handle of the probe, since it cannot be
 * sent twice. Connections belong to the multi handle and stay. Cost: with Digest each exchange is challenged anew, which libcurl
 * answers. Test: t0160, fuzz-http-redirect.
 */
void http_renew(struct http_client *c, const struct http_request *rq);

/* ---- http-request.c: one request, with its redirects, retries and credentials ---- */
struct http_request {
	const char *url;
	const char *accept, *git_protocol; /* NULL: none */
	bool compressed;   /* Accept-Encoding: what libcurl can */
	bool initial;	   /* a redirect may be followed where http.followRedirects is "initial" */
	const char *tail;  /* what of url stands behind the base; NULL: a redirect does not change the base */
	uint64_t offset;   /* Range */
	const char *method; /* NULL: GET, or POST if there is a body */
	const struct strvec *headers; /* further ones, as lines; NULL: none */
	const char *want_header; /* of the answer; NULL: none */
	const struct http_body *body; /* NULL: none */
	const char *content_type, *content_encoding, *want_type;
	bool in_any_case; /* do not stop if the command is cancelled: this request undoes an earlier one */
	bool expect; /* "100-continue": nothing of the body is sent before the server has agreed */
	http_sink_fn sink;
	void *data;
};
struct http_answer {
	long status;
	char *type;	/* Content-Type, without parameters, in lower case; NULL */
	char *url;	/* where it came from at last */
	char *header;	/* want_header; if it comes more than once with ", " in between; NULL: it is not there */
};
void http_answer_release(struct http_answer *a);
/* 0: status is 2xx and the sink has all. The message of a failure is whole. */
MUST_USE int http_perform(struct http_client *c, const struct http_request *rq, struct http_answer *a, struct err *err);

/* ---- http-text.c: functions without libcurl ---- */
/* Headers WWW-Authenticate of the last answer. */
struct http_challenges {
	struct strvec values;
	bool open; /* the last header, which may go on */
};
/* Any header line as it comes; the first one of an answer forgets what came before. */
void http_take_header(struct http_challenges *c, const char *line, size_t len);
/* A URL without user and password. Caller frees. */
char *http_url_without_user(const char *url);

/* ---- http-transfer.c: one exchange with the server ---- */
/*
 * Headers of an exchange. The private part comes last: those of http.extraHeader and a credential, which are for the host that the
 * user has named. libcurl reads the list anew for each request of a chain of redirects, so that the part can be taken off between two.
 */
struct http_headers {
	struct curl_slist *all, *last_own, *private; /* private: NULL if there are none */
};

struct http_exchange {
	struct http_client *c;
	const struct http_request *rq;
	struct http_headers headers;
	struct strbuf buffered;	  /* for the sink */
	struct strbuf error_body; /* the body of an error answer */
	struct http_challenges challenges;
	struct strbuf header;	  /* want_header */
	size_t body_at;		  /* position in the body to send */
	bool begun;		  /* a part of the answer has come */
	bool wrong_type;	  /* of the answer */
	CURLcode code;
	long status;		  /* 0: there was no answer */
	struct err *err;
	int rc;			  /* of the sink, or of the body */
};
void http_exchange_run(struct http_exchange *x);
void http_exchange_release(struct http_exchange *x);

/* ---- http-headers.c ---- */
void http_headers_make(struct http_headers *h, const struct http_client *c, const struct http_request *rq);
/* Leave the private headers out from the next request on. */
void http_headers_withhold(struct http_headers *h);
void http_headers_release(struct http_headers *h);
/* Accept-Language of LANGUAGE, LC_ALL, LC_MESSAGES, LANG; NULL: none. Caller frees. */
char *http_accept_language(void);

/* ---- http-auth.c ---- */
MUST_USE int http_auth_init(struct http_client *c, struct err *err);
void http_auth_release(struct http_client *c);
/* Before each exchange: its URL, and the credentials that we have. */
void http_auth_apply(struct http_client *c, const char *url);
/* The header Authorization of a credential that has a type of its own; NULL: none. Caller frees. */
char *http_auth_header(const struct http_client *c);
/* After a 401. 1: try again; 0: authentication has failed; < 0: the user cannot be asked. */
int http_auth_again(struct http_client *c, const struct http_exchange *x, struct err *err);
MUST_USE int http_auth_good(struct http_client *c, struct err *err);
MUST_USE int http_proxy_auth_bad(struct http_client *c, struct err *err);
/* The server has refused the client certificate. */
MUST_USE int http_cert_bad(struct http_client *c, struct err *err);
/* The base is elsewhere now: forget the credentials of the old one. */
MUST_USE int http_auth_forget(struct http_client *c, struct err *err);

/* ---- http-url.c ---- */
/* The same scheme, host and port. */
bool http_url_same_origin(const char *a, const char *b);
/* Does `to`, which may be relative to `from`, lead to another host, scheme or port? True also if it is malformed. */
bool http_url_leads_away(const char *from, const char *to);

/* ---- http-redirect.c ---- */
/* After a redirect: the new base. */
MUST_USE int http_follow_base(struct http_client *c, const struct http_request *rq, const char *effective,
			      struct err *err);

#endif
