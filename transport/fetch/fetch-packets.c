/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads lines and the bytes of the pack for a session. */
#include "compat/posix.h"
#include <poll.h>
#include "transport/fetch/fetch-internal.h"

static int remote_error(struct fetch_session *s, const char *text, struct err *err)
{
	char *clean = session_clean(s, text);

	session_tell(s, "", 0, true);
	err_set(err, ERR_ABORTED, "remote error: %s", clean);
	free(clean);
	return ERR_ABORTED;
}

int session_line(struct fetch_session *s, const char **line, struct err *err)
{
	const char *why;
	int kind;

	for (;;) {
		kind = pkt_reader_line(&s->in, err);
		if (kind == PKT_EOF)
			return err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
		if (kind != PKT_DATA)
			return kind;
		if (skip_prefix(s->in.line, "ERR ", &why))
			return remote_error(s, why, err);
		*line = s->in.line;
		if (!s->bands)
			return kind;
		*line = s->in.line + 1;
		if (s->in.len && *s->in.line == 1)
			return kind;
		if (s->in.len && *s->in.line == 2)
			session_tell(s, s->in.line + 1, s->in.len - 1, false);
		else if (s->in.len && *s->in.line == 3)
			return remote_error(s, s->in.line + 1, err);
		else
			return err_set(err, ERR_CORRUPT, "bad band #%d",
				       s->in.len ? (unsigned char)*s->in.line : 0);
	}
}

/* In a bundle and without bands, all bytes belong to the pack; else the bytes of band 1. */
int session_pack_read(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct fetch_session *s = data;

	if (s->bundle)
		return bundle_source_read(s->bundle, buf, len, got, err);
	if (s->raw)
		return pkt_reader_raw(&s->in, buf, len, got, err);
	*got = 0;
	while (!s->piece_len && !s->pack_ended) {
		int kind = pkt_reader_next(&s->in, err);

		if (kind < 0)
			return kind;
		if (kind == PKT_EOF)
			return err_set(err, ERR_CORRUPT, "early EOF: the remote end hung up unexpectedly");
		if (kind != PKT_DATA) {
			s->pack_ended = true;
			break;
		}
		if (s->in.len && *s->in.line == 1) {
			s->piece = s->in.line + 1;
			s->piece_len = s->in.len - 1;
		} else if (s->in.len && *s->in.line == 2) {
			session_tell(s, s->in.line + 1, s->in.len - 1, false);
		} else if (s->in.len && *s->in.line == 3) {
			return remote_error(s, s->in.line + 1, err);
		} else if (s->in.len) {
			return err_set(err, ERR_CORRUPT, "protocol error: bad band #%d",
				       (unsigned char)*s->in.line);
		}
	}
	*got = s->piece_len < len ? s->piece_len : len;
	if (!*got)
		return 0;
	memcpy(buf, s->piece, *got);
	s->piece += *got;
	s->piece_len -= *got;
	return 0;
}

bool session_pack_ready(void *data)
{
	struct fetch_session *s = data;
	struct pollfd p = { .fd = s->in.fd, .events = POLLIN };

	return s->bundle || s->piece_len || s->pack_ended || pkt_reader_has_next(&s->in) || poll(&p, 1, 0) > 0;
}
