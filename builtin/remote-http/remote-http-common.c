/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands of the remote helper for http share. */
#include "compat/posix.h"
#include <poll.h>
#include <signal.h>
#include "builtin/builtin.h"
#include "builtin/remote-http/remote-http.h"
#include "write-or-die.h"

void remote_http_say(void *data UNUSED, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static volatile sig_atomic_t caught;

static void catch(int sig)
{
	caught = sig;
}

void remote_http_catch_signals(void)
{
	const struct sigaction sa = { .sa_handler = catch };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

void remote_http_die_of_signal(void)
{
	if (!caught)
		return;
	signal(caught, SIG_DFL);
	raise(caught);
}

/* A signal has come, or the parent has ended: the rest of the reply is not needed. */
static bool is_unwanted(void *data)
{
	const struct http_helper *h = data;
	struct pollfd p = { .fd = STDOUT_FILENO };

	return caught || (!h->alone && poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)));
}

int remote_http_open_other(void *data, const char *url, struct http_client **out, struct err *err)
{
	const struct http_helper *h = data;
	struct http_client_options o = {
		.config = h->config, .url = url, .remote_name = h->name, .verbosity = h->verbosity, .ipv4 = h->ipv4,
		.ipv6 = h->ipv6, .warn = warning_callback, .tell = remote_http_say,
		.unwanted = is_unwanted, .data = data,
	};

	return http_client_new(out, &o, err);
}

int remote_http_open(struct http_helper *h, const char *url, struct err *err)
{
	return h->client ? 0 : remote_http_open_other(h, url, &h->client, err);
}

int remote_http_answer(const char *text, struct err *err)
{
	return write_in_full(STDOUT_FILENO, text, strlen(text), "the answer", err);
}

static int open_repository(struct repository **out, struct err *err)
{
	struct repo_open_options o = { .lenient = false };
	struct err why = ERR_INIT;
	int rc = repo_open(out, &o, &why);

	/* Outside of one, "git ls-remote" works as well. */
	if (rc == ERR_NOT_FOUND) {
		*out = NULL;
		rc = 0;
	}
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

int remote_http_begin(struct http_helper *h, struct err *err)
{
	int rc = open_repository(&h->r, err);

	if (rc < 0)
		return rc;
	set_command_repo(h->r);
	h->config = command_config(h->r);
	return 0;
}

void remote_http_end(struct http_helper *h)
{
	dav_push_free(h->push);
	http_walk_free(h->walk);
	http_client_free(h->client);
	strvec_clear(&h->fetch_options);
	strbuf_release(&h->info_refs);
	set_command_repo(NULL);
	repo_free(h->r);
}
