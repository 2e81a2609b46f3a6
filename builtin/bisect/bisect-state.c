/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a bisection: read, and written by one operation. */
#include "compat/posix.h"
#include "builtin/bisect/bisect-cmd.h"
#include "object/commit.h"
#include "util/alloc.h"
#include "util/quote.h"

#define BISECT_REFS "refs/bisect/"

int bisect_exit_code(int outcome)
{
	return outcome == BISECT_FOUND || outcome == BISECT_TEST_MERGE_BASE ? 0 : outcome;
}

void bisect_init(struct bisect *b, struct command_ctx *ctx)
{
	*b = (struct bisect){ .ctx = ctx, .r = ctx->repo, .log = STRBUF_INIT };
	strvec_init(&b->paths);
	bisect_set_terms(b, "bad", "good");
}

void bisect_release(struct bisect *b)
{
	for (size_t i = 0; i < b->nr_marks; i++)
		free(b->marks[i].ref);
	free(b->marks);
	free(b->term_bad);
	free(b->term_good);
	free(b->start_head);
	free(b->names);
	oid_array_clear(&b->good);
	oid_array_clear(&b->skipped);
	strvec_clear(&b->paths);
	strbuf_release(&b->log);
}

void bisect_set_terms(struct bisect *b, const char *bad, const char *good)
{
	char *new_bad = xstrdup(bad), *new_good = xstrdup(good);

	free(b->term_bad);
	free(b->term_good);
	b->term_bad = new_bad;
	b->term_good = new_good;
}

bool bisect_in_progress(const struct bisect *b)
{
	char *line = repo_state_line(b->r, STATE_BISECT_START);
	bool yes = line && *line;

	free(line);
	return yes;
}

int bisect_require_start(const struct bisect *b)
{
	if (bisect_in_progress(b))
		return 0;
	fprintf(stderr, "You need to start by \"git bisect start\"\n\n");
	return BISECT_FAILED;
}

/* ---- reading ---- */

bool bisect_dequote(const char *p, bool takes_plain, struct strvec *out)
{
	while (*(p += strspn(p, " \t"))) {
		const char *end = p + strcspn(p, " \t");
		bool is_plain = takes_plain && *p != '\'';
		char *word = is_plain ? xmemdupz(p, (size_t)(end - p)) : sq_dequote_step(p, &end);

		if (!word || (*end && *end != ' ' && *end != '\t')) {
			free(word);
			return false;
		}
		strvec_push(out, word);
		free(word);
		p = end;
	}
	return true;
}

static void read_terms(struct bisect *b)
{
	struct strbuf text = STRBUF_INIT;
	char *good;

	if (!repo_state_read(b->r, STATE_BISECT_TERMS, &text, NULL) && (good = strchr(text.buf, '\n'))) {
		*good++ = '\0';
		good[strcspn(good, "\n")] = '\0';
		bisect_set_terms(b, text.buf, good);
		b->has_terms = true;
	}
	strbuf_release(&text);
}

static int read_paths(struct bisect *b, struct err *err)
{
	char *line = repo_state_line(b->r, STATE_BISECT_NAMES), *path;
	struct strvec words = STRVEC_INIT;
	int rc = 0;

	if (line && !bisect_dequote(line, false, &words)) {
		path = repo_path(b->r, "%s", repo_state_name(STATE_BISECT_NAMES));
		rc = err_set(err, ERR_CORRUPT, "Badly quoted content in file '%s': %s", path, line);
		free(path);
	}
	for (size_t i = 0; !rc && i < words.nr; i++)
		if (strcmp(words.v[i], "--") != 0)
			strvec_push(&b->paths, words.v[i]);
	strvec_clear(&words);
	free(line);
	return rc;
}

static int read_ref(void *data, const struct ref *ref)
{
	struct bisect *b = data;
	const char *name = ref->name + strlen(BISECT_REFS);
	size_t len = strlen(b->term_good);

	if (!strcmp(name, b->term_bad)) {
		b->bad = ref->oid;
		b->has_bad = true;
	} else if (!strncmp(name, b->term_good, len) && name[len] == '-') {
		oid_array_append(&b->good, &ref->oid);
	} else if (starts_with(name, "skip-")) {
		oid_array_append(&b->skipped, &ref->oid);
	}
	return 0;
}

int bisect_read(struct bisect *b, struct err *err)
{
	int rc;

	read_terms(b);
	if ((rc = read_paths(b, err)) < 0)
		return rc;
	b->first_parent = repo_state_exists(b->r, STATE_BISECT_FIRST_PARENT);
	b->no_checkout = repo_state_exists(b->r, STATE_BISECT_HEAD);
	b->ancestors_ok = repo_state_exists(b->r, STATE_BISECT_ANCESTORS_OK);
	rc = refs_foreach(b->r->refs, BISECT_REFS, REFS_NO_PEEL, read_ref, b, err);
	oid_array_sort_unique(&b->good);
	oid_array_sort_unique(&b->skipped);
	return rc;
}

/* ---- planning ---- */

void bisect_add_commit_name(struct bisect *b, const struct object_id *oid, struct strbuf *out)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct commit_view v;

	strbuf_addf(out, "[%s] ", oid_hex(oid));
	if (odb_read_type(b->r->odb, oid, OBJ_COMMIT, &buf, NULL) >= 0 &&
	    commit_parse(&v, buf.data, buf.size, b->r->algo, NULL) >= 0) {
		commit_subject(out, v.message, v.message_len, " ");
		commit_view_release(&v);
	}
	object_buf_release(&buf);
}

void bisect_mark(struct bisect *b, const char *state, const struct object_id *oid, bool with_command)
{
	bool is_bad = !strcmp(state, b->term_bad), is_skip = !strcmp(state, "skip");

	ALLOC_GROW(b->marks, b->nr_marks + 1, b->alloc_marks);
	b->marks[b->nr_marks++] = (struct bisect_mark){
		.ref = is_bad ? xstrfmt(BISECT_REFS "%s", state) : xstrfmt(BISECT_REFS "%s-%s", state, oid_hex(oid)),
		.oid = *oid,
	};
	if (is_bad) {
		b->bad = *oid;
		b->has_bad = true;
	} else {
		oid_array_append(is_skip ? &b->skipped : &b->good, oid);
		oid_array_sort_unique(is_skip ? &b->skipped : &b->good);
	}
	strbuf_addf(&b->log, "# %s: ", state);
	bisect_add_commit_name(b, oid, &b->log);
	strbuf_addch(&b->log, '\n');
	if (with_command)
		strbuf_addf(&b->log, "git bisect %s %s\n", state, oid_hex(oid));
}

void bisect_forget_expected(struct bisect *b, const struct object_id *marked)
{
	struct object_id expected;

	if (!repo_state_oid(b->r, STATE_BISECT_EXPECTED_REV, &expected) || oid_eq(&expected, marked))
		return;
	b->forgets_expected = true;
	b->ancestors_ok = false;
}

/* ---- the operation ---- */

static int write_line(struct repo_operation *op, enum repo_state_file f, const char *text, struct err *err)
{
	char *line = xstrfmt("%s\n", text);
	int rc = repo_operation_write_state(op, f, line, strlen(line), err);

	free(line);
	return rc;
}

static int queue_marks(struct bisect *b, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	for (size_t i = 0; !rc && i < b->nr_marks; i++) {
		bool again = false;

		/* The last of several marks of one ref counts. */
		for (size_t k = i + 1; k < b->nr_marks; k++)
			again |= !strcmp(b->marks[i].ref, b->marks[k].ref);
		if (!again)
			rc = ref_transaction_update(t, b->marks[i].ref, &b->marks[i].oid, NULL, 0, NULL, err);
	}
	return rc;
}

static int queue_log(struct bisect *b, struct repo_operation *op, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (!b->log.len && !b->is_new)
		return 0;
	if (!b->is_new && repo_state_exists(b->r, STATE_BISECT_LOG))
		rc = repo_state_read(b->r, STATE_BISECT_LOG, &text, err);
	strbuf_addbuf(&text, &b->log);
	if (!rc)
		rc = repo_operation_write_state(op, STATE_BISECT_LOG, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

static int queue_beginning(struct bisect *b, struct repo_operation *op, struct err *err)
{
	struct object_id head;
	int rc = write_line(op, STATE_BISECT_START, b->start_head, err);

	if (!rc)
		rc = write_line(op, STATE_BISECT_NAMES, b->names, err);
	if (!rc && b->first_parent)
		rc = write_line(op, STATE_BISECT_FIRST_PARENT, "", err);
	if (!rc && b->no_checkout && !b->has_next && !ref_resolve(b->r->refs, "HEAD", &head, NULL, NULL, NULL))
		rc = write_line(op, STATE_BISECT_HEAD, oid_hex(&head), err);
	return rc;
}

static int queue_terms(struct bisect *b, struct repo_operation *op, struct err *err)
{
	char *text = xstrfmt("%s\n%s\n", b->term_bad, b->term_good);
	int rc = repo_operation_write_state(op, STATE_BISECT_TERMS, text, strlen(text), err);

	free(text);
	return rc;
}

/* The commit to test, and whether ancestors have been checked. */
static int queue_expected(struct bisect *b, struct repo_operation *op, struct err *err)
{
	bool was_ok = repo_state_exists(b->r, STATE_BISECT_ANCESTORS_OK);
	int rc = 0;

	if (b->has_next) {
		rc = write_line(op, STATE_BISECT_EXPECTED_REV, oid_hex(&b->next), err);
		if (!rc && b->no_checkout)
			rc = write_line(op, STATE_BISECT_HEAD, oid_hex(&b->next), err);
	} else if (b->forgets_expected) {
		rc = repo_operation_remove_state(op, STATE_BISECT_EXPECTED_REV, err);
	}
	if (!rc && b->ancestors_ok && !was_ok)
		rc = repo_operation_write_state(op, STATE_BISECT_ANCESTORS_OK, "", 0, err);
	if (!rc && !b->ancestors_ok && was_ok)
		rc = repo_operation_remove_state(op, STATE_BISECT_ANCESTORS_OK, err);
	return rc;
}

static int queue_step(struct bisect *b, struct repo_operation *op, struct err *err)
{
	int rc = queue_marks(b, op, err);

	if (!rc && b->is_new)
		rc = queue_beginning(b, op, err);
	if (!rc && b->writes_terms)
		rc = queue_terms(b, op, err);
	if (!rc)
		rc = queue_expected(b, op, err);
	return rc ? rc : queue_log(b, op, err);
}

static int run_without_checkout(struct bisect *b)
{
	struct repo_operation *op = repo_operation_begin(b->r);
	struct err err = ERR_INIT;
	int rc = queue_step(b, op, &err);

	rc = repo_operation_end(op, rc, &err);
	return rc < 0 ? report_fatal(&err) : 0;
}

static bool is_at(const struct bisect *b, const struct object_id *oid)
{
	struct object_id head;
	char *target = NULL;
	bool yes = !ref_read_raw(b->r->refs, "HEAD", &head, &target, NULL) && !target && oid_eq(&head, oid);

	free(target);
	return yes;
}

int bisect_step_run(struct bisect *b)
{
	char name[HASH_MAX_HEX + 1];
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (!b->has_next || b->no_checkout || is_at(b, &b->next))
		return run_without_checkout(b);
	op = repo_operation_begin(b->r);
	rc = queue_step(b, op, &err);
	if (rc) {
		rc = repo_operation_end(op, rc, &err);
		return report_fatal(&err);
	}
	oid_to_hex_r(name, &b->next);
	rc = command_checkout_in(b->ctx, op, name, true);
	if (rc)
		(void)run_without_checkout(b);
	return rc;
}

/* ---- the end ---- */

static int queue_ref_removal(void *data, const struct ref *ref)
{
	struct ref_transaction *t = data;

	return ref_transaction_update(t, ref->name, oid_is_null(&ref->oid) ? &ref->oid : &hash_algo_by_id(ref->oid.algo)->null_oid, NULL,
				      REF_NO_DEREF, NULL, NULL);
}

int bisect_queue_removal(struct bisect *b, struct repo_operation *op, struct err *err)
{
	/* BISECT_START comes last: until it has gone, there is a bisection. */
	static const enum repo_state_file files[] = {
		STATE_BISECT_EXPECTED_REV, STATE_BISECT_ANCESTORS_OK, STATE_BISECT_LOG, STATE_BISECT_NAMES, STATE_BISECT_RUN,
		STATE_BISECT_TERMS, STATE_BISECT_FIRST_PARENT, STATE_BISECT_HEAD, STATE_BISECT_START,
	};
	struct ref_transaction *t = NULL;
	int rc = repo_operation_begin_refs(op, 0, &t, err);

	if (!rc)
		rc = refs_foreach(b->r->refs, BISECT_REFS, REFS_NO_PEEL, queue_ref_removal, t, err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(files); i++)
		rc = repo_operation_remove_state(op, files[i], err);
	return rc;
}
