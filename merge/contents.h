/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three-way merge of one file: its contents, and its mode. Texts are merged line by line (merge/texts.h), other kinds of
 * content as gitattributes(5), "merge", describes.
 *
 *   struct merge_rules rules = MERGE_RULES_INIT;      style, favour, attributes: once for all files
 *   struct merge_file f = { .path = …, .version = …, .label = … };
 *   rc = merge_file(&f, &rules, odb, &outcome, err);
 *
 * Symbolic links and submodules have no contents to be merged: two changed ones are a conflict.
 */
#ifndef MERGE_CONTENTS_H
#define MERGE_CONTENTS_H

#include "compat/posix.h"
#include "config/config.h"
#include "merge/texts.h"
#include "odb/odb.h"

/* The versions of a path. Stage n of the index holds version n - 1. */
enum merge_stage { MERGE_BASE, MERGE_OURS, MERGE_THEIRS, MERGE_STAGES };

struct merge_version {
	unsigned mode; /* 0: there is no such version */
	struct object_id oid;
};

/* The values of the attributes "merge" and "conflict-marker-size". */
struct merge_attributes {
	enum merge_kind { MERGE_KIND_TEXT, MERGE_KIND_BINARY, MERGE_KIND_UNION, MERGE_KIND_PROGRAM } kind;
	const char *command; /* of MERGE_KIND_PROGRAM: merge.<driver>.driver; belongs to the configuration */
	size_t marker_size; /* 0: the default */
};

/* ---- submodules ---- */

enum merge_submodule_how {
	MERGE_SUBMODULE_NOT_CHECKED_OUT,
	MERGE_SUBMODULE_NO_COMMITS, /* its repository lacks one of them */
	MERGE_SUBMODULE_NO_BASE,
	MERGE_SUBMODULE_REWOUND, /* a side does not contain the base */
	MERGE_SUBMODULE_DIVERGED,
	MERGE_SUBMODULE_FORWARD, /* clean: one side contains the other */
};
struct merge_submodule_call {
	const char *path;
	const struct object_id *base, *ours, *theirs; /* base NULL: there is none */
	bool search; /* for merges of both that exist already */
};
struct merge_submodule {
	enum merge_submodule_how how;
	struct object_id result; /* of MERGE_SUBMODULE_FORWARD */
	char *candidates;	 /* lines "    1234567 subject"; NULL: none. Owned */
	size_t nr_candidates;
};

struct merge_rules {
	enum merge3_style style;
	enum merge3_favor favor; /* -X ours, -X theirs */
	enum diff_algorithm algorithm;
	bool minimal;
	unsigned ignore; /* DIFF_IGNORE_* */
	/*
	 * Merges of merge bases: 1 for the bases of a merge, 2 for the bases of these, and so on. Markers become longer, nothing
	 * is favoured, and the version of the base is taken where a side of a merge would be.
	 */
	unsigned depth;
	/*
	 * Reads the attributes of a path into *out, which holds the defaults. NULL: no path has any. internal: merge bases are
	 * merged (merge.<driver>.recursive).
	 */
	int (*attributes)(void *data, const char *path, bool internal, struct merge_attributes *out, struct err *err);
	void *attributes_data;
	/*
	 * -X renormalize: before texts are merged, each version is converted as by a checkout and the next commit. NULL: the
	 * caller cannot do that. *buf is replaced if it changes. Gets attributes_data.
	 */
	bool renormalize;
	/* Both sides have changed a submodule. NULL: it counts as not checked out. *out holds zeros. */
	int (*submodule)(void *data, const struct merge_submodule_call *call, struct merge_submodule *out, struct err *err);
	void *submodule_data;
	int (*normalize)(void *data, const char *path, struct object_buf *buf, struct err *err);
};
#define MERGE_RULES_INIT { 0 }

/* Sets *style from merge.conflictStyle; leaves it alone if that is not set. ERR_INVALID. */
MUST_USE int merge_config_style(enum merge3_style *style, const struct config_set *c, struct err *err);

bool merge_version_eq(const struct merge_version *a, const struct merge_version *b); /* missing ones are equal */
/* Are both regular files, or both symbolic links, or both submodules? */
bool merge_version_same_type(const struct merge_version *a, const struct merge_version *b);

/* ---- blobs ---- */

struct merge_blobs {
	const char *path; /* for attributes */
	const struct object_id *oid[MERGE_STAGES]; /* NULL: there is no such version */
	const char *label[MERGE_STAGES];	   /* behind the markers */
	bool nested; /* the result will be merged once more: markers are one character longer */
};

struct merge_blobs_outcome {
	bool clean;
	bool binary; /* `out` is one of the versions: theirs if they are favoured, else ours */
};

/*
 * Append the merged contents to `out`. A file whose attributes name a program is merged by it (merge/driver.h).
 * Errors: those of odb_read_type, of rules->attributes and of merge_driver_run.
 * Cost:   all three versions are in memory.
 */
MUST_USE int merge_blobs(const struct merge_blobs *b, const struct merge_rules *rules, struct odb *odb,
			 struct strbuf *out, struct merge_blobs_outcome *outcome, struct err *err);

/* Do both blobs, which differ, become the same by rules->normalize? Not without rules->renormalize. */
MUST_USE int merge_same_if_normalized(const struct merge_rules *rules, struct odb *odb, const char *path,
				      const struct object_id *a, const struct object_id *b, bool *same, struct err *err);

/* ---- files ---- */

struct merge_file {
	struct merge_version version[MERGE_STAGES]; /* ours and theirs exist, and are of the same type */
	const char *path;
	const char *label[MERGE_STAGES];
	bool nested; /* as in struct merge_blobs */
};

struct merge_file_outcome {
	struct merge_version result;
	bool clean;
	bool merged; /* blobs were merged, since both sides have changed them */
	bool binary; /* these were no texts, and are a conflict */
	struct merge_submodule submodule; /* if both sides have changed one; candidates are to be freed */
};

/*
 * A mode or an id that only one side has changed is taken from that side. Merged contents are written to the odb, which has a
 * batch open. Errors: those of merge_blobs and odb_write.
 */
MUST_USE int merge_file(const struct merge_file *f, const struct merge_rules *rules, struct odb *odb,
			struct merge_file_outcome *outcome, struct err *err);

#endif
