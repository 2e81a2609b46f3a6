/* SPDX-License-Identifier: GPL-2.0-only */
/* The crash report, and the lines of --stats. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fastimport/fastimport-internal.h"
#include "util/alloc.h"
#include "util/date.h"
#include "write-or-die.h"

static void add_recent(const struct import_input *in, struct strbuf *out)
{
	uint64_t from = in->nr_lines > RECENT_COMMANDS ? in->nr_lines - RECENT_COMMANDS : 0;

	strbuf_addstr(out, "Most Recent Commands Before Crash\n---------------------------------\n");
	for (uint64_t i = from; i < in->nr_lines; i++)
		strbuf_addf(out, "%c %s\n", i + 1 == in->nr_lines ? '*' : ' ', in->recent[i % RECENT_COMMANDS]);
}

static void add_branches(const struct fast_import *fi, struct strbuf *out)
{
	unsigned long pos = 0;

	strbuf_addf(out, "\nActive Branch LRU\n-----------------\n    active_branches = %zu cur, %lu max\n\n", fi->nr_active,
		    fi->max_active);
	strbuf_addstr(out, "  pos  clock name\n  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
	for (size_t i = 0; i < fi->nr_branches; i++)
		if (fi->branch_list[i]->active)
			strbuf_addf(out, "  %2lu) %6" PRIu64 " %s\n", ++pos, fi->branch_list[i]->last_commit,
				    fi->branch_list[i]->name);
	strbuf_addstr(out, "\nInactive Branches\n-----------------\n");
	for (size_t i = 0; i < fi->nr_branches; i++) {
		const struct import_branch *b = fi->branch_list[i];

		strbuf_addf(out, "%s:\n  status      :%s%s%s\n  tip commit  : %s\n", b->name, b->active ? " active" : "",
			    b->root->tree ? " loaded" : "", b->root->dirty ? " dirty" : "", oid_hex(&b->tip));
		strbuf_addf(out, "  old tree    : %s\n", oid_hex(&b->tree));
		strbuf_addf(out, "  cur tree    : %s\n  commit clock: %" PRIu64 "\n  last pack   : %s\n\n",
			    oid_hex(&b->root->oid), b->last_commit, b->has_commit ? "0" : "");
	}
}

static void add_tags_and_marks(const struct fast_import *fi, struct strbuf *out)
{
	if (fi->nr_tags)
		strbuf_addstr(out, "\nAnnotated Tags\n--------------\n");
	for (size_t i = 0; i < fi->nr_tags; i++)
		strbuf_addf(out, "%s %s\n", oid_hex(&fi->tags[i].oid), fi->tags[i].name);
	strbuf_addstr(out, "\nMarks\n-----\n");
	if (fi->export_marks)
		strbuf_addf(out, "  exported to %s\n", fi->export_marks);
	else
		import_marks_text(fi, out);
	strbuf_addstr(out, "\n-------------------\nEND OF CRASH REPORT\n");
}

static int write_report(const struct fast_import *fi, const char *msg, const char *path, struct err *err)
{
	static const struct date_mode iso = { .type = DATE_ISO8601 };
	struct strbuf out = STRBUF_INIT;
	int tz, fd, rc;
	timestamp_t now = date_now(&tz);

	strbuf_addf(&out, "fast-import crash report:\n    fast-import process: %lu\n    parent process     : %lu\n    at ",
		    (unsigned long)getpid(), (unsigned long)getppid());
	date_format(&out, now, tz, &iso);
	strbuf_addf(&out, "\n\nfatal: %s\n\n", msg);
	add_recent(&fi->in, &out);
	add_branches(fi, &out);
	add_tags_and_marks(fi, &out);
	fd = (int)sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	rc = fd < 0 ? err_set_errno(err, "can't write crash report %s", path) :
		      write_in_full(fd, out.buf, out.len, path, err);
	if (fd >= 0)
		close(fd);
	strbuf_release(&out);
	return rc;
}

int fast_import_crash(struct fast_import *fi, const char *msg, struct strbuf *path, struct err *err)
{
	char *file = repo_path(fi->repo, "fast_import_crash_%lu", (unsigned long)getpid());
	int rc = write_report(fi, msg, file, err);

	strbuf_addstr(path, file);
	free(file);
	if (!rc && fi->op && repo_operation_state(fi->op) == OPERATION_OPEN && !repo_operation_refs(fi->op))
		rc = import_publish(fi, false, err);
	return rc;
}

void fast_import_stats(const struct fast_import *fi, struct strbuf *out)
{
	static const struct { const char *name; enum object_type type; } rows[] = {
		{ "blobs  ", OBJ_BLOB }, { "trees  ", OBJ_TREE }, { "commits", OBJ_COMMIT }, { "tags   ", OBJ_TAG },
	};
	static const char line[] = "---------------------------------------------------------------------\n";
	uint64_t total = 0, duplicates = 0;

	for (int i = 0; i < IMPORT_TYPES; i++) {
		total += fi->count[i];
		duplicates += fi->duplicates[i];
	}
	strbuf_addf(out, "fast-import statistics:\n%s", line);
	strbuf_addf(out, "Total objects:   %10" PRIu64 " (%10" PRIu64 " duplicates                  )\n", total, duplicates);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum object_type t = rows[i].type;

		strbuf_addf(out, "      %s:   %10" PRIu64 " (%10" PRIu64 " duplicates %10" PRIu64 " deltas of %10" PRIu64 " attempts)\n",
			    rows[i].name, fi->count[t], fi->duplicates[t], fi->deltas[t], fi->attempts[t]);
	}
	strbuf_addf(out, "Total branches:  %10zu (%10zu loads     )\n", fi->nr_branches, fi->loads);
	strbuf_addf(out, "      marks:     %10zu (%10zu unique    )\n%s\n", fi->marks.size, fi->marks.nr, line);
}
