/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reflogs [NAME]
 *
 * The log of NAME as a file of it has it, oldest entry first; whether files or tables hold it. Without NAME, all logs of
 * this worktree, each after a line "== NAME". 1: there is no such log.
 */
#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/repo.h"

static int print_entry(void *data UNUSED, const struct reflog_entry *e)
{
	char old[HASH_MAX_HEX + 1];

	oid_to_hex_r(old, &e->old_oid);
	printf("%s %s %s %" PRIuMAX " %+05d%s%s\n", old, oid_hex(&e->new_oid), e->ident,
	       (uintmax_t)e->date, e->tz, *e->msg ? "\t" : "", e->msg);
	return 0;
}

struct printing {
	struct repository *r;
	struct err err;
};

static int print_log(void *data, const char *name)
{
	struct printing *p = data;

	printf("== %s\n", name);
	return reflog_foreach(p->r->refs, name, false, print_entry, NULL, &p->err);
}

static int run(struct printing *p, const char *name)
{
	if (!name)
		return reflogs_foreach(p->r->refs, print_log, p, &p->err);
	return reflog_foreach(p->r->refs, name, false, print_entry, NULL, &p->err);
}

int main(int argc, const char **argv)
{
	struct repo_open_options options = { 0 };
	struct printing p = { .err = ERR_INIT };
	int rc = repo_open(&p.r, &options, &p.err);

	if (!rc)
		rc = run(&p, argc > 1 ? argv[1] : NULL);
	repo_free(p.r);
	if (rc >= 0)
		return 0;
	fprintf(stderr, "fatal: %s\n", err_message(&p.err));
	return p.err.code == ERR_NOT_FOUND ? 1 : 128;
}
