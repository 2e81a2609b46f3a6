/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What upload-pack answers to a client. The first byte chooses what the client wants and whether the rest is sent as it
 * is, or is lines of which packets are made (scratch_packets).
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "history/history.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "transport/connect-internal.h"
#include "transport/fetch/fetch-session.h"
#include "util/alloc.h"

#define DEEPENS 1u
#define TAKES_BOUNDARY 2u
#define RAW 4u
#define HERE 8u /* what is wanted is here, so that a pack without objects is enough */
#define PROMISED 16u
#define LISTS_BUNDLES 32u

static struct connection *connect_to(int answer)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->in = answer;
	c->out = os_unnamed_file();
	if (c->out < 0)
		abort();
	c->state = xcalloc(1, sizeof(*c->state));
	child_process_init(&c->state->child);
	return c;
}

static void drop_words(void *data UNUSED, const char *text, size_t len)
{
	if (!len || text[len - 1] == 0)
		abort();
}

static int get(struct fetch_session *s, unsigned how, struct fetch_result *result, struct err *err)
{
	struct repository *r = scratch_repo();
	struct object_id other = scratch_head;
	struct oid_array wants = OID_ARRAY_INIT;
	struct fetch_wanted w = { .oids = &wants, .depth = how & DEEPENS ? 1 : 0,
				  .update_shallow = how & TAKES_BOUNDARY, .from_promisor = how & PROMISED };
	struct repo_operation *op = repo_operation_begin(r);
	int rc;

	other.hash[0] ^= 1;
	oid_array_append(&wants, how & HERE ? &scratch_head : &other);
	rc = fetch_session_get(s, &w, op, r, result, err);
	/* It is nowhere, unless the pack has it. */
	if (!rc && !(how & HERE) && !oid_is_null(&result->pack) && !result->objects)
		abort();
	repo_operation_abort(op);
	repo_operation_free(op);
	oid_array_clear(&wants);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fetch_session_options o = { .tell = drop_words };
	struct remote_refs refs = REMOTE_REFS_INIT;
	struct strvec bundles = STRVEC_INIT;
	struct fetch_session *s = NULL;
	struct fetch_result result;
	unsigned how = size ? data[0] : 0;
	int rc;

	if (!size)
		return 0;
	o.algo = scratch_repo()->algo;
	fetch_result_init(&result);
	rc = fetch_session_open(&s, connect_to(scratch_packets(data + 1, size - 1, how & RAW)), &o, NULL);
	if (!rc && how & LISTS_BUNDLES)
		rc = fetch_session_bundle_uri(s, &bundles, NULL);
	if (!rc)
		rc = fetch_session_refs(s, NULL, &refs, NULL);
	for (size_t i = 0; !rc && i < refs.nr; i++)
		if (strcmp(refs.items[i].name, "HEAD") && !refname_is_valid(refs.items[i].name, 0))
			abort();
	if (!rc)
		rc = get(s, how, &result, NULL);
	(void)!fetch_session_end(s, rc, NULL);
	/* Nothing was committed. */
	if (repo_is_shallow(scratch_repo()))
		abort();
	fetch_result_release(&result);
	remote_refs_release(&refs);
	strvec_clear(&bundles);
	return 0;
}
