/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Redirects: where a server leads the client, and which secrets the client sends there. The first byte has flags. The rest is
 * answers with "\n~\n" in between. The n-th connection gets the n-th answer, whatever its host; later connections get 404.
 * libcurl is the real one; its connections are pairs of sockets in this process, so nothing goes to a network.
 *
 * Checks: each request is http or https as GIT_ALLOW_PROTOCOL says; a redirect is followed only as http.followRedirects
 * says; user, password and http.extraHeader reach only the host, scheme and port of the URL that the user gave.
 */
#include "compat/posix.h"
#include <sys/socket.h>
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"

#define FOLLOW 3u /* 0: never, 1: initial, else: always */
#define ONLY_HTTP 4u
#define HAS_USER 8u
#define IS_QUIET 16u
#define PROACTIVE 32u
#define HAS_PATTERN 64u /* http.<url>.extraHeader */
#define IS_END 128u /* the rest is a URL: see follow_base */

#define HOST "h.example"
#define CONNECTIONS_MAX 64
#define ANSWER_MAX 4096
#define REQUEST_MAX 65536
#define SECRET 31

/* State of one input. libcurl's callbacks use it. */
static struct {
	unsigned how;
	const char *answers;
	size_t len;
	int ends[CONNECTIONS_MAX]; /* of the server; check_requests reads the requests from them */
	size_t nr;
	/* User, password and token; a hash of the input, so that no answer contains it. basic: as base64, "user:password". */
	char secret[SECRET + 1], basic[(2 * SECRET + 1) / 3 * 4 + 1];
} net;

static void check(bool good)
{
	if (!good)
		abort();
}

/* ---- the network ---- */

static void write_answer(int fd)
{
	static const char none[] = "HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n";
	const char *end = net.len ? memmem(net.answers, net.len, "\n~\n", 3) : NULL;
	size_t len = end ? (size_t)(end - net.answers) : net.len, used = end ? len + 3 : len;
	size_t sent = len > ANSWER_MAX ? ANSWER_MAX : len;

	if (net.len)
		check(write(fd, net.answers, sent) == (ssize_t)sent);
	else
		check(write(fd, none, sizeof(none) - 1) == sizeof(none) - 1);
	net.answers += used;
	net.len -= used;
}

static curl_socket_t open_socket(void *data UNUSED, curlsocktype purpose UNUSED, struct curl_sockaddr *address UNUSED)
{
	int pair[2];

	if (net.nr == CONNECTIONS_MAX)
		return CURL_SOCKET_BAD;
	check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair));
	write_answer(pair[1]);
	check(!shutdown(pair[1], SHUT_WR));
	net.ends[net.nr++] = pair[1];
	return pair[0];
}

/* Some versions of libcurl ask in spite of CURL_SOCKOPT_ALREADY_CONNECTED. A program's own function comes before libc's. */
int connect(int fd UNUSED, const struct sockaddr *address UNUSED, socklen_t len UNUSED)
{
	return 0;
}

static int is_connected(void *data UNUSED, curl_socket_t fd UNUSED, curlsocktype purpose UNUSED)
{
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* ---- the client ---- */

static void check_line(void *data UNUSED, const char *line)
{
	check(!strstr(line, net.secret));
	for (; *line; line++)
		check((unsigned char)*line >= ' ' && *line != 127);
}

/* What the server says of a failure may have tabs. */
static void check_words(void *data, const char *line)
{
	char *plain = xstrdup(line);

	for (char *c = plain; (c = strchr(c, '\t')) != NULL;)
		*c = ' ';
	check_line(data, plain);
	free(plain);
}

/* len is a multiple of three. */
static void add_base64(char *out, const char *text, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; len; text += 3, len -= 3) {
		unsigned bits = (unsigned)((unsigned char)text[0] << 16 | (unsigned char)text[1] << 8 | (unsigned char)text[2]);

		for (int shift = 18; shift >= 0; shift -= 6)
			*out++ = digits[bits >> shift & 63];
	}
	*out = 0;
}

static void make_secrets(const uint8_t *data, size_t size)
{
	struct object_id sum;
	char pair[2 * SECRET + 2];

	hash_buf(hash_sha1, data, size, &sum);
	snprintf(net.secret, sizeof(net.secret), "%.*s", SECRET, oid_hex(&sum));
	snprintf(pair, sizeof(pair), "%s:%s", net.secret, net.secret);
	add_base64(net.basic, pair, 2 * SECRET + 1);
}

static char *make_config(void)
{
	static const char *const follow[] = { "false", "initial", "true", "true" };

	return xstrfmt("[credential]\nhelper =\n[http]\nsslVerify = false\nfollowRedirects = %s\nproactiveAuth = %s\nemptyAuth = false\n"
		       "[http%s]\nextraHeader = X-Token: %s\n", follow[net.how & FOLLOW],
		       (net.how & (PROACTIVE | HAS_USER)) == (PROACTIVE | HAS_USER) ? "basic" : "none",
		       net.how & HAS_PATTERN ? " \"http://" HOST "\"" : "", net.secret);
}

static struct config_set *read_config(void)
{
	struct config_set *config = config_set_new();
	char *text = make_config();

	check(!config_set_read_buf(config, text, strlen(text), "x", CONFIG_ORIGIN_FILE, CONFIG_SCOPE_LOCAL, NULL, NULL));
	free(text);
	return config;
}

/* hosts: CURLOPT_CONNECT_TO. It gives all names one address, so that libcurl asks no resolver. */
static struct http_client *new_client(const struct http_client_options *o, struct curl_slist *hosts)
{
	struct http_client *c;

	check(!http_client_new(&c, o, NULL));
	curl_easy_setopt(c->easy, CURLOPT_CONNECT_TO, hosts);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(c->easy, CURLOPT_SOCKOPTFUNCTION, is_connected);
	return c;
}

/* ---- what must hold ---- */

/* "host" or "host:port", of http */
static bool is_home(const char *host, size_t len)
{
	const size_t name = strlen(HOST);

	return len >= name && !strncasecmp(host, HOST, name) &&
		(len == name || (host[name] == ':' && (len == name + 1 || strtoul(host + name + 1, NULL, 10) == 80)));
}

static bool is_home_url(const char *url)
{
	const char *host;

	return skip_prefix(url, "http://", &host) && is_home(host, strcspn(host, "/?#"));
}

static void check_base(const struct http_client *c)
{
	const char *base = http_base(c), *host = strstr(base, "://");

	check(starts_with(base, "http://") || (!(net.how & ONLY_HTTP) && starts_with(base, "https://")));
	check(!memchr(host + 3, '@', strcspn(host + 3, "/?#")) && !strstr(base, net.secret));
	check(c->moved == !is_home_url(base));
	if (c->moved)
		check((net.how & FOLLOW) && !c->auth.password && !c->auth.credential);
}

/* All bytes that one connection got. A TLS hello begins with 0x16. */
static void check_told(const char *text, size_t len, const char *only_host, const char *only_line)
{
	bool secret = strstr(text, net.secret) || strstr(text, net.basic);

	if (*text == 0x16) {
		check(!(net.how & ONLY_HTTP) && !memmem(text, len, net.secret, SECRET));
		return;
	}
	check(starts_with(text, "GET /") || starts_with(text, "POST /"));
	for (const char *at = text; (at = strstr(at, "\nHost: ")) != NULL;) {
		size_t host;

		at += strlen("\nHost: ");
		host = strcspn(at, "\r");
		check(!secret || is_home(at, host));
		check(!only_host || (strlen(only_host) == host && !memcmp(at, only_host, host)));
	}
	check(!only_line || starts_with(text, only_line));
}

/* All requests since the last call. alone: no redirect may be followed, so all requests are the same. */
static void check_requests(bool alone)
{
	static char text[CONNECTIONS_MAX][REQUEST_MAX];
	char *host = NULL, *line = NULL;

	for (size_t i = 0; i < net.nr; i++) {
		ssize_t len = read(net.ends[i], text[i], REQUEST_MAX - 1);

		check(len < REQUEST_MAX - 1);
		text[i][len > 0 ? len : 0] = 0;
		if (len <= 0)
			continue;
		if (alone && !line && *text[i] != 0x16) {
			const char *at = strstr(text[i], "\nHost: ");

			const size_t method = strcspn(text[i], " ") + 1;

			/* Without the version: libcurl says 1.0 to a server that has said so. */
			line = xstrndup(text[i], method + strcspn(text[i] + method, " \r"));
			host = at ? xstrndup(at + 7, strcspn(at + 7, "\r")) : NULL;
		}
		check_told(text[i], (size_t)len, host, line);
		close(net.ends[i]);
	}
	net.nr = 0;
	free(host);
	free(line);
}

static int drop(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

static void run_requests(struct http_client *c)
{
	static const struct http_body body = { .buf = "0000", .len = 4 };
	const unsigned follow = net.how & FOLLOW;
	struct strbuf out = STRBUF_INIT;
	bool dumb;
	char *url;
	int rc = http_smart_discover(c, "git-upload-pack", "version=2", &out, &dumb, NULL);

	check_requests(!follow);
	check_base(c);
	if (!rc) {
		url = xconcat(http_base(c), "HEAD");
		(void)!http_get_text(c, url, 100, &out, NULL);
		check_requests(follow < 2);
		free(url);
		(void)!http_smart_post(c, "git-upload-pack", "version=2", &body, drop, NULL, NULL);
		check_requests(follow < 2);
		check_base(c);
	}
	strbuf_release(&out);
}

/* As libcurl has it at the end of a chain of redirects; NULL: it does not follow such a Location. */
static char *normalize(const char *url)
{
	CURLU *u = curl_url();
	char *whole = NULL;

	check(u);
	if (curl_url_set(u, CURLUPART_URL, url, CURLU_URLENCODE) || curl_url_get(u, CURLUPART_URL, &whole, 0))
		whole = NULL;
	curl_url_cleanup(u);
	if (whole && !starts_with(whole, "http://") && (net.how & ONLY_HTTP || !starts_with(whole, "https://"))) {
		curl_free(whole);
		whole = NULL;
	}
	return whole;
}

/* The end of a chain without the chain: also https, for which no handshake is needed then. */
static void follow_base(struct http_client *c, const char *url)
{
	const struct http_request rq = { .url = "http://" HOST "/r.git/info/refs", .tail = "info/refs" };
	char *effective = normalize(url);

	if (effective && net.how & FOLLOW && !http_follow_base(c, &rq, effective, NULL))
		check_base(c);
	curl_free(effective);
}

static void begin_once(void)
{
	static const char config[] = "[libdefaults]\ndns_canonicalize_hostname = false\ndns_lookup_kdc = false\n";
	static const char *const none[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "GIT_ASKPASS", "SSH_ASKPASS" };

	scratch_repo();
	scratch_write("krb5.conf", config, strlen(config));
	setenv("KRB5_CONFIG", scratch_path("krb5.conf"), 1);
	setenv("GIT_TERMINAL_PROMPT", "0", 1);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		unsetenv(none[i]);
}

static void run_input(struct http_client *c, const char *text, size_t len)
{
	net.answers = text;
	net.len = len;
	if (net.how & IS_END)
		follow_base(c, text);
	else
		run_requests(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	struct curl_slist *hosts;
	struct http_client_options o = { .warn = check_line, .tell = check_words };
	struct config_set *config;
	struct http_client *c;
	char *url, *text;

	if (!size)
		return 0;
	if (!begun)
		begin_once();
	begun = true;
	memset(&net, 0, sizeof(net));
	net.how = data[0];
	make_secrets(data, size);
	setenv("GIT_ALLOW_PROTOCOL", net.how & ONLY_HTTP ? "http" : "http:https", 1);
	url = net.how & HAS_USER ? xstrfmt("http://%s:%s@" HOST "/r.git", net.secret, net.secret) :
		xstrdup("http://" HOST "/r.git");
	o.config = config = read_config();
	o.url = url;
	o.verbosity = net.how & IS_QUIET ? -1 : 0;
	hosts = curl_slist_append(NULL, "::127.0.0.1:1");
	c = new_client(&o, hosts);
	text = xmemdupz(data + 1, size - 1);
	run_input(c, text, size - 1);
	http_client_free(c);
	curl_slist_free_all(hosts);
	config_set_free(config);
	free(url);
	free(text);
	return 0;
}
