/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-rebase(1): the messages of fixup and squash. message-squash has all of them, the skipped ones as comments, for the
 * editor; message-fixup is the message if nothing needs an editor. current-fixups lists the commands of the chain.
 */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "object/commit.h"
#include "object/message.h"
#include "util/alloc.h"

size_t rebase_fixup_count(const struct rebase_run *run)
{
	size_t n = run->now.fixups.len > 0;

	for (size_t i = 0; i < run->now.fixups.len; i++)
		n += run->now.fixups.buf[i] == '\n';
	return n;
}

bool rebase_fixup_needs_editor(const struct rebase_run *run)
{
	return !run->now.has_fixup_text;
}

void rebase_fixup_end(struct rebase_run *run)
{
	strbuf_reset(&run->now.fixups);
	strbuf_reset(&run->now.squash_text);
	strbuf_reset(&run->now.fixup_text);
	run->now.has_fixup_text = false;
}

/* ---- texts ---- */

/* As it is: a fixup adds no trailers. */
static int read_plain_message(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err)
{
	struct pick p = { .r = run->r, .pool = run->c->pool, .commit = c };
	struct pick_message_options o = { .comment_char = run->c->comment_char };

	return pick_message(&p, &o, out, err);
}

static int read_head_message(struct rebase_run *run, struct strbuf *out, struct err *err)
{
	struct commit *head = commit_lookup(run->c->pool, &run->now.head);
	int rc = commit_parse_node(run->c->pool, head, err);

	return rc ? rc : read_plain_message(run, head, out, err);
}

int rebase_fixup_read_head(struct rebase_run *run, struct err *err)
{
	strbuf_reset(&run->now.squash_text);
	return read_head_message(run, &run->now.squash_text, err);
}

/* Without empty lines at the beginning. */
static const char *body_of(const struct strbuf *message)
{
	return message->buf + strspn(message->buf, "\n");
}

/* "# This is a combination of N commits." in the first line. */
static void set_count(struct rebase_run *run, size_t n)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%c This is a combination of %zu commits.%s", run->c->comment_char, n,
		    strchrnul(run->now.squash_text.buf, '\n'));
	strbuf_reset(&run->now.squash_text);
	strbuf_addbuf(&run->now.squash_text, &text);
	strbuf_release(&text);
}

static void begin_messages(struct rebase_run *run, const struct strbuf *head, bool skips_first)
{
	struct strbuf *out = &run->now.squash_text;
	const char *body = body_of(head);

	strbuf_addf(out, "%c This is a combination of %d commits.\n", run->c->comment_char, 2);
	strbuf_addf(out, "%c %s\n\n", run->c->comment_char,
		    skips_first ? "The 1st commit message will be skipped:" : "This is the 1st commit message:");
	if (skips_first)
		message_add_commented(out, body, strlen(body), run->c->comment_char);
	else
		strbuf_addstr(out, body);
}

static bool chain_has_squash(const struct rebase_run *run)
{
	return strstr(run->now.fixups.buf, "squash ");
}

/* The subject "amend! x" is a comment; where the chain has a squash, "squash! x" and "fixup! x", too. */
static void add_squash_body(struct rebase_run *run, const char *body)
{
	struct strbuf *out = &run->now.squash_text;
	size_t len = strcspn(body, "\n");

	if (starts_with(body, "amend!") || (chain_has_squash(run) && (starts_with(body, "squash!") || starts_with(body, "fixup!")))) {
		message_add_commented(out, body, len, run->c->comment_char);
		body += len + (body[len] == '\n');
	}
	strbuf_addstr(out, body);
}

static void add_numbered(struct rebase_run *run, const char *body, size_t n, bool skipped)
{
	struct strbuf *out = &run->now.squash_text;

	if (out->len && out->buf[out->len - 1] != '\n')
		strbuf_addch(out, '\n');
	if (skipped) {
		strbuf_addf(out, "\n%c The commit message #%zu will be skipped:\n\n", run->c->comment_char, n);
		message_add_commented(out, body, strlen(body), run->c->comment_char);
	} else {
		strbuf_addf(out, "\n%c This is the commit message #%zu:\n\n", run->c->comment_char, n);
		add_squash_body(run, body);
	}
}

/* ---- the chain ---- */

/* fixup -C: the message of this commit, without the subject "amend! x". */
static const char *replacing_body(const char *body)
{
	if (!starts_with(body, "amend!"))
		return body;
	body += strcspn(body, "\n");
	return body + strspn(body, "\n");
}

static bool is_header(const struct rebase_run *run, const char *line)
{
	if (line[0] != run->c->comment_char)
		return false;
	return starts_with(line + 1, " This is the 1st commit message") || starts_with(line + 1, " This is the commit message #") ||
	       starts_with(line + 1, " The 1st commit message will") || starts_with(line + 1, " The commit message #");
}

/* "# This is the commit message #2:" becomes "# The commit message #2 will be skipped:". */
static bool add_skipped_header(const struct rebase_run *run, const char *line, size_t len, struct strbuf *out)
{
	const char *rest;

	if (!is_header(run, line) || !skip_prefix(line + 1, " This is the ", &rest))
		return false;
	strbuf_addf(out, "%c The %.*s will be skipped:\n", run->c->comment_char, (int)(len - (size_t)(rest - line) - 1), rest);
	return true;
}

/* All messages before are skipped: they become comments. The lines of the subject "amend! x" are some already. */
static void comment_out_all(struct rebase_run *run)
{
	struct strbuf old = STRBUF_INIT, *text = &run->now.squash_text;
	bool in_body = false, after_header = false, may_be_comment = false;
	size_t len;

	strbuf_addbuf(&old, text);
	strbuf_reset(text);
	for (const char *line = old.buf; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (is_header(run, line)) {
			in_body = after_header = add_skipped_header(run, line, len, text);
			may_be_comment = in_body && starts_with(line + 1, " This is the commit message #");
			if (!in_body)
				strbuf_addf(text, "%.*s\n", (int)len, line);
		} else if (!in_body || (!len && (after_header || is_header(run, line + 1)))) {
			strbuf_addf(text, "%.*s\n", (int)len, line);
			after_header = false;
		} else if (may_be_comment && line[0] == run->c->comment_char) {
			strbuf_addf(text, "%.*s\n", (int)len, line);
		} else if (len) {
			message_add_commented(text, line, len, run->c->comment_char);
			strbuf_complete_line(text);
			may_be_comment = false;
		} else {
			strbuf_addf(text, "%c\n", run->c->comment_char);
			may_be_comment = false;
		}
	}
	strbuf_release(&old);
}

static void forget_fixup_text(struct rebase_run *run)
{
	run->now.has_fixup_text = false;
	strbuf_reset(&run->now.fixup_text);
}

/* fixup -C, -c: this message takes the place of all before, unless a squash has asked for all of them. */
static void replace_messages(struct rebase_run *run, const struct todo_item *item, const char *body, size_t n)
{
	struct rebase_progress *p = &run->now;

	if (!chain_has_squash(run))
		comment_out_all(run);
	add_numbered(run, body, n, false);
	if (item->flags & TODO_EDIT_MESSAGE) {
		forget_fixup_text(run);
	} else if (p->has_fixup_text) {
		strbuf_reset(&p->fixup_text);
		strbuf_addstr(&p->fixup_text, replacing_body(body));
	}
}

static void take_message(struct rebase_run *run, const struct todo_item *item, const char *body, size_t n)
{
	if (item->command == TODO_FIXUP && item->flags & TODO_USE_MESSAGE) {
		replace_messages(run, item, body, n);
		return;
	}
	if (item->command == TODO_SQUASH)
		forget_fixup_text(run);
	add_numbered(run, body, n, item->command == TODO_FIXUP);
}

/*
 * A chain that ended behind a conflict has left message-squash, and message-fixup if that was enough. Where the latter is
 * missing, Git opens an editor at the end of a chain that begins with fixup -C.
 */
static void begin_chain(struct rebase_run *run, const struct todo_item *item, const struct strbuf *head)
{
	const bool was_edited = run->now.squash_text.len && !run->now.has_fixup_text;

	strbuf_reset(&run->now.squash_text);
	strbuf_reset(&run->now.fixup_text);
	begin_messages(run, head, false);
	strbuf_addbuf(&run->now.fixup_text, head);
	run->now.has_fixup_text = !was_edited || !(item->flags & TODO_USE_MESSAGE);
}

int rebase_fixup_add(struct rebase_run *run, const struct todo_item *item, struct commit *c, struct err *err)
{
	struct strbuf head = STRBUF_INIT, message = STRBUF_INIT;
	size_t n = rebase_fixup_count(run) + 2;
	const bool replaces = item->flags & TODO_USE_MESSAGE;
	int rc = replaces ? rebase_run_message(run, c, &message, err) : read_plain_message(run, c, &message, err);

	if (!rc && n == 2)
		rc = read_head_message(run, &head, err);
	if (!rc) {
		if (n == 2)
			begin_chain(run, item, &head);
		else
			set_count(run, n);
		strbuf_addf(&run->now.fixups, "%s%s %s", run->now.fixups.len ? "\n" : "", todo_command_name(item->command),
			    oid_hex(&c->oid));
		take_message(run, item, body_of(&message), n);
	}
	strbuf_release(&head);
	strbuf_release(&message);
	return rc;
}
