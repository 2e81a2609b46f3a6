/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a remote helper answers: capabilities, its list, options and a fetch. The first byte chooses what is wanted; "%0"
 * to "%4" stand for names of objects, as in scratch_packets.
 */
#include "compat/posix.h"
#include <unistd.h>
#include "compat/os.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "transport/fetch/fetch-session.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"

#define HERE 1u /* what is wanted is here already */
#define DEEPENS 2u
#define SINGLE 4u
#define PROMISED 8u

static void put_answer(int fd, const uint8_t *data, size_t size)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < size; i++)
		if (data[i] == '%' && i + 1 < size && data[i + 1] == '0') {
			strbuf_addstr(&text, oid_hex(&scratch_head));
			i++;
		} else {
			strbuf_addch(&text, data[i]);
		}
	if (write(fd, text.buf, text.len) != (ssize_t)text.len || lseek(fd, 0, SEEK_SET))
		abort();
	strbuf_release(&text);
}

static struct connection *connect_to(const uint8_t *data, size_t size)
{
	struct connection *c = connection_new();
	struct helper *h;

	c->in = os_unnamed_file();
	c->out = os_unnamed_file();
	if (c->in < 0 || c->out < 0)
		abort();
	put_answer(c->in, data, size);
	CALLOC_ARRAY(h, 1);
	h->c = c;
	h->name = xstrdup("x");
	c->state->helper = h;
	c->kind = CONNECTION_HELPER;
	return c;
}

static void drop_words(void *data UNUSED, const char *text UNUSED, size_t len)
{
	if (!len)
		abort();
}

static int get(struct fetch_session *s, unsigned how, struct err *err)
{
	struct fetch_result result;
	struct repository *r = scratch_repo();
	struct object_id other = scratch_head;
	struct oid_array wants = OID_ARRAY_INIT;
	struct fetch_wanted w = { .oids = &wants, .depth = how & DEEPENS ? 1 : 0, .no_dependents = how & SINGLE,
				  .from_promisor = how & PROMISED };
	struct repo_operation *op = repo_operation_begin(r);
	int rc;

	other.hash[0] ^= 1;
	oid_array_append(&wants, how & HERE ? &scratch_head : &other);
	fetch_result_init(&result);
	rc = fetch_session_get(s, &w, op, r, &result, err);
	/* Nobody has put it there. */
	if (!rc && !(how & HERE) && !(how & SINGLE))
		abort();
	repo_operation_abort(op);
	repo_operation_free(op);
	fetch_result_release(&result);
	oid_array_clear(&wants);
	return rc;
}

static void check_refs(const struct remote_refs *refs)
{
	for (size_t i = 0; i < refs->nr; i++) {
		const struct remote_ref *ref = &refs->items[i];

		if (!remote_ref_name_is_valid(ref->name) || (ref->symref_target && !remote_ref_name_is_valid(ref->symref_target)) ||
		    (ref->unknown && !oid_is_null(&ref->oid)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fetch_session_options o = { .tell = drop_words };
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct fetch_session *s = NULL;
	struct connection *c;
	int rc;

	if (!size)
		return 0;
	o.algo = scratch_repo()->algo;
	c = connect_to(data + 1, size - 1);
	if (helper_ask_capabilities(helper_of(c), NULL) < 0) {
		connection_abort(c);
		return 0;
	}
	rc = fetch_session_open(&s, c, &o, NULL);
	if (!rc)
		rc = fetch_session_refs(s, NULL, &refs, NULL);
	check_refs(&refs);
	if (!rc)
		rc = get(s, data[0], NULL);
	(void)!fetch_session_end(s, rc, NULL);
	remote_refs_release(&refs);
	return 0;
}
