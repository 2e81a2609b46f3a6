/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "upload/broker-message.h"
#include "upload/broker-request.h"

/* First byte of a message, and the bytes after it. */
#define OIDS 'O'   /* a byte: the list (enum oid_list); raw oids, at least one */
#define FILTER 'F' /* a piece of its text */
#define RUN 'R'	   /* a byte: the bits below; nothing comes after it */

#define RUN_THIN 1u
#define RUN_OFS_DELTA 2u
#define RUN_INCLUDE_TAG 4u
#define RUN_NO_PROGRESS 8u
#define RUN_BANDS 16u
#define RUN_BITS 31u

/* In this order. */
enum oid_list { LIST_CUT, LIST_WANTS, LIST_HAVES, LIST_UNSHALLOWED, LIST_NR };

#define OIDS_MAX ((size_t)4 * UPLOAD_LINES_MAX)
#define FILTER_MAX ((size_t)256 * 1024)

static struct oid_array *list_of(struct fetch_request *q, unsigned list)
{
	struct oid_array *const lists[LIST_NR] = { &q->cut, &q->wants, &q->haves,
						   &q->unshallowed };

	return lists[list];
}

/* ---- sending ---- */

static int send_oids(int fd, unsigned list, const struct oid_array *oids, struct err *err)
{
	unsigned char message[BROKER_MESSAGE_MAX] = { OIDS, (unsigned char)list };
	size_t len = 2;
	int rc = 0;

	for (size_t i = 0; i < oids->nr && !rc; i++) {
		size_t raw = oid_raw_len(&oids->oid[i]);

		memcpy(message + len, oids->oid[i].hash, raw);
		len += raw;
		if (len + raw > sizeof(message) || i + 1 == oids->nr) {
			rc = broker_message_send(fd, message, len, NULL, err);
			len = 2;
		}
	}
	return rc;
}

static int send_filter(int fd, const struct filter_spec *f, struct err *err)
{
	unsigned char message[BROKER_MESSAGE_MAX] = { FILTER };
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	filter_spec_format(f, &text);
	for (size_t at = 0, n; at < text.len && !rc; at += n) {
		n = text.len - at < sizeof(message) - 1 ? text.len - at : sizeof(message) - 1;
		memcpy(message + 1, text.buf + at, n);
		rc = broker_message_send(fd, message, n + 1, NULL, err);
	}
	strbuf_release(&text);
	return rc;
}

int broker_request_send(int fd, const struct fetch_request *q, bool bands, struct err *err)
{
	const unsigned bits = (q->thin ? RUN_THIN : 0) | (q->ofs_delta ? RUN_OFS_DELTA : 0) |
			      (q->include_tag ? RUN_INCLUDE_TAG : 0) |
			      (q->no_progress ? RUN_NO_PROGRESS : 0) | (bands ? RUN_BANDS : 0);
	const unsigned char run[2] = { RUN, (unsigned char)bits };
	int rc = 0;

	for (unsigned list = 0; list < LIST_NR && !rc; list++)
		rc = send_oids(fd, list, list_of((struct fetch_request *)q, list), err);
	if (!rc)
		rc = send_filter(fd, &q->filter, err);
	return rc < 0 ? rc : broker_message_send(fd, run, sizeof(run), NULL, err);
}

/* ---- parsing: no message is trusted ---- */

void broker_request_init(struct broker_request *b, const struct upload_server *s)
{
	memset(b, 0, sizeof(*b));
	b->s = s;
	fetch_request_init(&b->q);
	strbuf_init(&b->filter, 0);
}

void broker_request_release(struct broker_request *b)
{
	fetch_request_release(&b->q);
	strbuf_release(&b->filter);
}

static int take_oids(struct broker_request *b, const unsigned char *p, size_t len,
		     struct err *err)
{
	const struct hash_algo *algo = b->s->repo->algo;
	size_t nr = len ? (len - 1) / algo->raw_len : 0;

	if (!nr || (len - 1) % algo->raw_len)
		return err_set(err, ERR_INVALID, "broker: oids of a wrong length");
	if (p[0] >= LIST_NR || p[0] < b->list)
		return err_set(err, ERR_INVALID, "broker: oids of an unexpected list");
	if (nr > OIDS_MAX - b->nr_oids)
		return err_set(err, ERR_TOO_BIG, "more than %zu objects for %s", OIDS_MAX,
			       "uploadpack.packObjectsHook");
	b->list = p[0];
	b->nr_oids += nr;
	for (size_t i = 0; i < nr; i++) {
		struct object_id oid;

		oid_from_raw(&oid, p + 1 + i * algo->raw_len, algo);
		oid_array_append(list_of(&b->q, b->list), &oid);
	}
	return 0;
}

static int take_broker_filter(struct broker_request *b, const unsigned char *p, size_t len,
			      struct err *err)
{
	if (!len || memchr(p, '\0', len))
		return err_set(err, ERR_INVALID, "broker: malformed filter");
	if (len > FILTER_MAX - b->filter.len)
		return err_set(err, ERR_TOO_BIG, "broker: a filter of more than %zu bytes",
			       FILTER_MAX);
	strbuf_add(&b->filter, p, len);
	return 0;
}

static int check_broker_filter(struct broker_request *b, struct err *err)
{
	int rc;

	if (!b->filter.len)
		return 0;
	if (!b->s->config.allow_filter)
		return err_set(err, ERR_INVALID, "broker: filters are not allowed");
	rc = filter_spec_parse(&b->q.filter, b->filter.buf, err);
	return rc < 0 ? rc : upload_filter_check(b->s->repo->config, &b->q.filter, err);
}

static int take_run(struct broker_request *b, const unsigned char *p, size_t len,
		    struct err *err)
{
	int rc = len == 1 && !(p[0] & ~RUN_BITS) && b->q.wants.nr ? 0 :
		 err_set(err, ERR_INVALID, "broker: malformed request");

	if (!rc)
		rc = check_broker_filter(b, err);
	if (rc < 0)
		return rc;
	b->q.thin = p[0] & RUN_THIN;
	b->q.ofs_delta = p[0] & RUN_OFS_DELTA;
	b->q.include_tag = p[0] & RUN_INCLUDE_TAG;
	b->q.no_progress = p[0] & RUN_NO_PROGRESS;
	b->bands = p[0] & RUN_BANDS;
	return 1;
}

int broker_request_take(struct broker_request *b, const void *message, size_t len,
			struct err *err)
{
	const unsigned char *p = message;

	if (len && len <= BROKER_MESSAGE_MAX && p[0] == OIDS)
		return take_oids(b, p + 1, len - 1, err);
	if (len && len <= BROKER_MESSAGE_MAX && p[0] == FILTER)
		return take_broker_filter(b, p + 1, len - 1, err);
	if (len && p[0] == RUN)
		return take_run(b, p + 1, len - 1, err);
	return err_set(err, ERR_INVALID, "broker: unexpected message");
}
