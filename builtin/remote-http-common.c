/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands of the remote helper for http share. */
#include "compat/posix.h"
#include <poll.h>
#include "builtin/builtin.h"
#include "builtin/remote-http.h"
#include "write-or-die.h"

static void show_warning(void *data UNUSED, const char *msg)
{
	warning("%s", msg);
}

static void show_line(void *data UNUSED, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

/* The parent is not there any more: what still comes is for nobody. */
static bool is_unwanted(void *data UNUSED)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP));
}

int remote_http_open(struct http_helper *h, const char *url, struct err *err)
{
	struct http_client_options o = {
		.config = h->config, .url = url, .remote_name = h->name, .verbosity = h->verbosity,
		.ipv4 = h->ipv4, .ipv6 = h->ipv6, .warn = show_warning, .tell = show_line, .unwanted = is_unwanted,
	};

	return h->client ? 0 : http_client_new(&h->client, &o, err);
}

int remote_http_answer(const char *text, struct err *err)
{
	return write_in_full(STDOUT_FILENO, text, strlen(text), "the answer", err);
}
