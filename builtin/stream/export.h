/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-fast-export(1): history as a stream. fast-export.c reads options and goes through the commits; the parts print what
 * they find on standard output.
 *
 * Memory: a node for each commit of the walk, about 50 bytes for each object that has a mark, one blob (those above
 * core.bigFileThreshold are streamed).
 */
#ifndef BUILTIN_STREAM_EXPORT_H
#define BUILTIN_STREAM_EXPORT_H

#include "compat/posix.h"
#include "builtin/log/log.h"
#include "refs/refspec.h"
#include "util/map.h"
#include "util/string-list.h"

/* What becomes of signatures; --signed-tags and --signed-commits. */
enum export_signed { EXPORT_VERBATIM, EXPORT_WARN_VERBATIM, EXPORT_WARN_STRIP, EXPORT_STRIP, EXPORT_ABORT };
/* What becomes of a tag whose object is not exported. */
enum export_filtered { EXPORT_FILTERED_ABORT, EXPORT_FILTERED_DROP, EXPORT_FILTERED_REWRITE };
enum export_reencode { EXPORT_REENCODE_ABORT, EXPORT_REENCODE_YES, EXPORT_REENCODE_NO };

/* Names of one kind, and what stands for them: anonymize.c. */
struct anonymous_names {
	struct strmap map; /* to the new name, owned */
	unsigned nr;
};
struct anonymizer {
	struct strmap wanted; /* --anonymize-map: to the new name, owned */
	struct anonymous_names paths, refs, idents, tags, ids;
	unsigned blobs, messages;
};
void anonymizer_release(struct anonymizer *a);
/* "from:to" or "from". False: there is nothing before the colon. */
bool anonymizer_keep(struct anonymizer *a, const char *map);
/* Each appends what stands for the text that is given. */
void anonymize_path(struct anonymizer *a, const char *path, struct strbuf *out);
void anonymize_ref(struct anonymizer *a, const char *name, struct strbuf *out);
void anonymize_ident(struct anonymizer *a, const char *ident, size_t len, struct strbuf *out);
void anonymize_id(struct anonymizer *a, const struct object_id *oid, struct strbuf *out);
void anonymize_tag_message(struct anonymizer *a, const char *msg, size_t len, struct strbuf *out);
void anonymize_commit_message(struct anonymizer *a, struct strbuf *out);
void anonymize_blob(struct anonymizer *a, struct strbuf *out);

/* A ref that a commit of the walk may carry; else it is reset at the end. */
struct export_ref {
	struct object_id oid;
	bool carried;
};

struct fast_export {
	struct repository *repo;
	struct log_options log;
	struct rev_walk *walk; /* that of log */
	/* options */
	int progress, signed_tags, signed_commits, filtered, reencode;
	int fake_missing_tagger, full_tree, done_feature, no_data, reference_parents, original_ids, mark_tags, anonymous;
	char *export_marks, *import_marks; /* paths; NULL: none */
	bool marks_may_miss;
	struct refspec refspec;
	struct anonymizer anon;
	/* marks */
	struct oidmap marks; /* to the number, as a pointer */
	uint64_t last_mark, last_imported;
	struct oid_array marked_commits; /* with their marks, the file of --export-marks */
	/* refs */
	struct string_list refs; /* sorted; util: struct export_ref, owned */
	struct string_list tags; /* a ref and a tag on the way to its commit; util: its id, owned */
	unsigned long shown;	 /* objects, for --progress */
};

/* ---- export-marks.c ---- */
/* 0: it has none. */
uint64_t export_mark_of(const struct fast_export *x, const struct object_id *oid);
/* Gives it the next mark, and prints the line. */
void export_mark_next(struct fast_export *x, const struct object_id *oid, enum object_type type);
MUST_USE int export_marks_read(struct fast_export *x, struct err *err);
/* One durable operation; nothing is written where nothing has got a mark. */
MUST_USE int export_marks_write(struct fast_export *x, struct err *err);

/* ---- export-print.c ---- */
/* After each object that has been printed. */
void export_progress(struct fast_export *x);
void export_original_id(const struct fast_export *x, const struct object_id *oid);
void export_data(const void *p, size_t len);
/* A line such as "author NAME <MAIL> DATE". */
void export_add_person(struct fast_export *x, const char *role, const char *ident, size_t len, struct strbuf *out);
/* The name of the ref in the stream, into `out`; returns its text. */
const char *export_ref_name(struct fast_export *x, const char *name, struct strbuf *out);

/* ---- export-commit.c ---- */
MUST_USE int export_blob(struct fast_export *x, const struct object_id *oid, struct err *err);
MUST_USE int export_commit(struct fast_export *x, struct commit *c, struct err *err);

/* ---- export-refs.c ---- */
/* Before the walk begins: which ref each of its starts stands for. Blobs that tags lead to are exported. */
MUST_USE int export_refs_collect(struct fast_export *x, struct err *err);
/* After the walk: refs that no commit carries, then tags, then refs that --refspec deletes. */
MUST_USE int export_refs_finish(struct fast_export *x, struct err *err);

#endif
