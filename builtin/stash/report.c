/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stash(1): what the subcommands share. */
#include "compat/posix.h"
#include "builtin/stash/stash.h"
#include "cli/clean-worktree.h"
#include "index/index.h"
#include "worktree/merge-result.h"

char *stash_join_words(int argc, const char **argv)
{
	struct strbuf text = STRBUF_INIT;

	for (int i = 0; i < argc; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", argv[i]);
	return argc ? strbuf_detach(&text, NULL) : NULL;
}

int stash_find_argument(struct repository *r, int argc, const char **argv, struct stash *out)
{
	struct err err = ERR_INIT;
	int rc;

	if (argc > 1) {
		fputs("Too many revisions specified:", stderr);
		for (int i = 0; i < argc; i++)
			fprintf(stderr, " '%s'", argv[i]);
		fputc('\n', stderr);
		return 1;
	}
	rc = stash_find(r, argc ? argv[0] : NULL, out, &err);
	if (!rc)
		return 0;
	if (rc != ERR_NOT_FOUND)
		return report_fatal(&err);
	if (argc)
		error("%s", err_message(&err));
	else
		fprintf(stderr, "%s\n", err_message(&err));
	err_release(&err);
	return 1;
}

int stash_find_listed(struct repository *r, int argc, const char **argv, struct stash *out)
{
	int code = stash_find_argument(r, argc, argv, out);

	if (code || out->listed)
		return code;
	error("'%s' is not a stash reference", out->name);
	stash_release(out);
	return 1;
}

static void read_and_print_unmerged(struct repository *r)
{
	struct index_state ix;

	index_init(&ix, r->algo);
	if (!index_read_repo(&ix, r, NULL))
		(void)print_unmerged(&ix);
	index_release(&ix);
}

int stash_report_failure(struct repository *r, int rc, struct err *err)
{
	if (rc != ERR_CONFLICT || result_update_is_unfinished(r))
		return report_fatal(err);
	read_and_print_unmerged(r);
	report_error(err);
	return 1;
}

void stash_tell_dropped(const struct stash *s)
{
	printf("Dropped %s (%s)\n", s->name, oid_hex(&s->commit));
}
