/* SPDX-License-Identifier: GPL-2.0-only */
/* git-diff-pairs(1): pairs of files that another command has found, as raw lines. */
#include "compat/posix.h"
#include "builtin/diff/diff.h"
#include "object/tree.h"

static const char *const usage[] = { "git diff-pairs -z [<diff-options>]", NULL };

struct raw_line {
	unsigned old_mode, new_mode;
	struct object_id old_oid, new_oid;
	char status;
	unsigned score;
	struct strbuf old_path, new_path;
};

/* ---- a line ---- */

static int parse_mode(const char **at, const char *line, unsigned *mode, struct err *err)
{
	char *end;

	*mode = (unsigned)strtoul(*at, &end, 8);
	if (end != *at + 6 || *end != ' ')
		return err_set(err, ERR_INVALID, "unable to parse mode: %s", line);
	if (MODE_IS_TREE(*mode))
		return err_set(err, ERR_INVALID, "tree objects not supported");
	*at = end + 1;
	return 0;
}

static int parse_oid(const char **at, const struct hash_algo *algo, struct object_id *oid, struct err *err)
{
	const char *end;

	if (oid_parse_hex(oid, *at, algo, &end) < 0 || *end != ' ')
		return err_set(err, ERR_INVALID, "unable to parse object id: %s", *at);
	*at = end + 1;
	return 0;
}

/* "085": percent. */
static int parse_similarity(const char *at, unsigned *score, struct err *err)
{
	char *end;
	unsigned long percent = strtoul(at, &end, 10);

	if (end == at || *end || percent > 100)
		return err_set(err, ERR_INVALID, "unable to parse rename/copy score: %s", at);
	*score = (unsigned)percent * (DIFF_MAX_SCORE / 100);
	return 0;
}

static int parse_raw_line(struct raw_line *l, const char *line, const struct hash_algo *algo, struct err *err)
{
	const char *at = line + 1;
	int rc;

	if (*line != ':')
		return err_set(err, ERR_INVALID, "invalid raw diff input");
	rc = parse_mode(&at, line, &l->old_mode, err);
	if (!rc)
		rc = parse_mode(&at, line, &l->new_mode, err);
	if (!rc)
		rc = parse_oid(&at, algo, &l->old_oid, err);
	if (!rc)
		rc = parse_oid(&at, algo, &l->new_oid, err);
	if (rc < 0)
		return rc;
	l->status = *at;
	l->score = 0;
	if (!l->status || !strchr("ADMTRC", l->status))
		return err_set(err, ERR_INVALID, "unknown diff status: %c", l->status);
	return l->status == DIFF_STATUS_RENAMED || l->status == DIFF_STATUS_COPIED ? parse_similarity(at + 1, &l->score, err) : 0;
}

static int read_paths(struct raw_line *l, struct err *err)
{
	bool renamed = l->status == DIFF_STATUS_RENAMED || l->status == DIFF_STATUS_COPIED;

	if (strbuf_getdelim(&l->old_path, stdin, '\0') < 0)
		return err_set(err, ERR_INVALID, "got EOF while reading path");
	if (renamed && strbuf_getdelim(&l->new_path, stdin, '\0') < 0)
		return err_set(err, ERR_INVALID, "got EOF while reading destination path");
	if (!renamed) {
		strbuf_reset(&l->new_path);
		strbuf_addbuf(&l->new_path, &l->old_path);
	}
	return 0;
}

/* ---- the queue ---- */

/* Sides change places for -R, but the sides of renames and copies stay, as in Git. */
static void queue_line(struct diff_command *d, const struct raw_line *l)
{
	bool renamed = l->status == DIFF_STATUS_RENAMED || l->status == DIFF_STATUS_COPIED;
	struct diff_pair *p;

	if (d->o.reverse && !renamed)
		p = diff_queue_add(&d->queue, l->new_path.buf, l->new_mode, &l->new_oid, l->old_path.buf, l->old_mode, &l->old_oid);
	else
		p = diff_queue_add(&d->queue, l->old_path.buf, l->old_mode, &l->old_oid, l->new_path.buf, l->new_mode, &l->new_oid);
	p->status = l->status;
	p->score = l->score;
	p->renamed = renamed;
}

static int show_queued(struct diff_command *d, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	bool any = false;
	int rc = diff_choose(&d->queue, &d->o, err);

	if (!rc)
		rc = diff_format(&d->queue, &d->o, &text, err);
	if (!rc && d->o.exit_code)
		rc = diff_differs(&d->queue, &d->o, &any, err);
	if (!rc)
		rc = print_and_clear(NULL, &text, err);
	d->code |= (d->queue.check_failed ? 2 : 0) | any;
	strbuf_release(&text);
	diff_queue_clear(&d->queue);
	return rc;
}

/* A NUL alone ends a batch. */
static int show_batch(struct diff_command *d, struct err *err)
{
	int rc = show_queued(d, err);

	putchar('\0');
	fflush(stdout);
	return rc;
}

static int read_lines(struct diff_command *d, struct err *err)
{
	struct raw_line l = { .old_path = STRBUF_INIT, .new_path = STRBUF_INIT };
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && strbuf_getdelim(&line, stdin, '\0') >= 0) {
		if (!line.len) {
			rc = show_batch(d, err);
			continue;
		}
		rc = parse_raw_line(&l, line.buf, d->repo->algo, err);
		if (!rc)
			rc = read_paths(&l, err);
		if (!rc)
			queue_line(d, &l);
	}
	if (!rc)
		rc = show_queued(d, err);
	strbuf_release(&line);
	strbuf_release(&l.old_path);
	strbuf_release(&l.new_path);
	return rc;
}

NORETURN static void refuse_arguments(const char *why)
{
	fprintf(stderr, "usage: %s\n", why);
	exit(129);
}

static int diff_pairs_run(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	int rc;

	rc = diff_command_parse(d, argc, argv, err);
	if (rc < 0)
		return rc;
	d->o.abbrev = 0; /* as in Git: --abbrev has no effect */
	d->o.index_abbrev = d->repo->settings.abbrev;
	if (!d->o.null_term)
		refuse_arguments("working without -z is not supported");
	if (d->walk->has_pathspec)
		refuse_arguments("pathspec arguments not supported");
	if (d->walk->nr_starts)
		refuse_arguments("revision arguments not supported");
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_PATCH;
	d->o.drain = print_and_clear;
	return read_lines(d, err);
}

int cmd_diff_pairs(int argc, const char **argv, struct command_ctx *ctx)
{
	return diff_command_main(argc, argv, ctx, false, usage, diff_pairs_run);
}
