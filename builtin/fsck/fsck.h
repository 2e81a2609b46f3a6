/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git fsck in parts: fsck-store.c looks at every object there is, fsck-heads.c
 * finds where history begins, fsck-graph.c walks from there and reports missing and unused objects.
 */
#ifndef BUILTIN_FSCK_FSCK_H
#define BUILTIN_FSCK_FSCK_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/promisor.h"
#include "object/fsck.h"
#include "operation/operation.h"
#include "util/progress.h"

/* Bits of the exit code, as git fsck has them. */
#define FSCK_BAD_OBJECT 1
#define FSCK_BAD_LINK 2
#define FSCK_BAD_PACK 4
#define FSCK_BAD_REF 8
#define FSCK_BAD_GRAPH 16
#define FSCK_BAD_MIDX 32
#define FSCK_BAD_REV 64
#define FSCK_BAD_BITMAP 128

/* Flags of an object. */
#define NODE_PRESENT 1u	  /* a whole copy has been seen (or is taken for granted) */
#define NODE_REACHABLE 2u
#define NODE_USED 4u	  /* some object, ref or index entry names it */
#define NODE_LINKED 8u	  /* its links are in the table */
#define NODE_TYPE_SEEN 16u /* type: from the object itself, not from who names it */

struct node {
	struct object_id oid;
	uint8_t type; /* enum object_type; OBJ_NONE if not known */
	uint8_t flags;
	uint32_t links; /* place in the table of links */
};

#define NO_NODE UINT32_MAX
/* Nodes are numbered from 0; in a link the type that is expected goes on top. */
#define NODES_MAX ((uint32_t)1 << 30)
/* Links beyond this are not kept: those trees are read a second time. */
#define LINKS_MAX ((size_t)1 << 27)

struct fsck {
	struct repository *repo;
	struct odb *odb;
	struct repo_operation *op; /* --lost-found */
	const struct hash_algo *algo;
	struct fsck_options checks;
	struct oidset skip, shallow;
	struct promises promises; /* what a partial clone may lack */
	/* options */
	int verbose, show_unreachable, show_dangling, show_tags, show_root, keep_cache;
	int references, reflogs, full, connectivity_only, strict, lost_found, name_objects;
	int progress; /* -1: on a terminal */
	int exit_code;
	size_t default_refs;
	/* graph */
	struct node *nodes;
	uint32_t nr, alloc;
	uint32_t *slots; /* node + 1 by oid, open addressing */
	size_t mask;
	uint32_t *links;
	size_t nr_links, alloc_links;
	char **names;	 /* by node, with --name-objects */
	size_t alloc_names;
	uint32_t *stack; /* reachable, links not followed yet */
	size_t nr_stack, alloc_stack;
};

/* ---- fsck-graph.c ---- */
void fsck_graph_release(struct fsck *f);
uint32_t fsck_find(const struct fsck *f, const struct object_id *oid); /* or NO_NODE */
/* Makes it if it is new; a type that is not known yet becomes `type`. */
uint32_t fsck_node(struct fsck *f, const struct object_id *oid, enum object_type type);
/*
 * An object that was read and is whole: note it and what it names. < 0: a commit or
 * tag that cannot be parsed, which is as good as none; the caller tells it.
 */
MUST_USE int fsck_add_object(struct fsck *f, const struct object_id *oid,
			     enum object_type type, const void *data, size_t size);
/* Where a walk begins. */
void fsck_mark_head(struct fsck *f, uint32_t node);
void fsck_set_name(struct fsck *f, uint32_t node, const char *fmt, ...) PRINTF_LIKE(3, 4);
const char *fsck_type_name(enum object_type type); /* "unknown" */
/* It may be missing. */
bool fsck_is_promised(struct fsck *f, const struct object_id *oid);
/* "OID" or "OID (NAME)"; one of 4 rotating buffers. */
const char *fsck_describe(struct fsck *f, const struct object_id *oid);
/* NULL unless progress is to be shown (a terminal, or --progress). */
struct progress *fsck_progress(const struct fsck *f, const char *title, uint64_t total);
/* A message on stderr and bits of the exit code. */
void fsck_error(struct fsck *f, int bits, const char *fmt, ...) PRINTF_LIKE(3, 4);
void fsck_walk(struct fsck *f);
void fsck_report(struct fsck *f); /* missing, unreachable, dangling */

/* ---- fsck-store.c ---- */
void fsck_check_stores(struct fsck *f);
/* The commit-graphs of all object directories, unless core.commitGraph is false. */
/* In any mode, as Git. */
void fsck_check_midxs(struct fsck *f);
void fsck_check_graphs(struct fsck *f, struct repository *r);
void fsck_list_stores(struct fsck *f); /* --connectivity-only: names alone */

/* ---- fsck-heads.c ---- */
void fsck_heads_from_args(struct fsck *f, int argc, const char **argv);
void fsck_heads_from_refs(struct fsck *f);
void fsck_heads_from_index(struct fsck *f);

/* ---- for other commands ---- */
/* A file of full object names, one in a line; '#' begins a comment. Dies of a bad one. */
void fsck_read_oid_list(const char *path, const struct hash_algo *algo, struct oidset *out,
			bool must_exist);
/* fsck.<msg-id>; dies of bad ones */
void fsck_read_severities(struct fsck_options *o, const struct config_set *c);
/* Print the faults of refs on standard error. Returns whether there are errors. */
bool fsck_verify_refs(struct repository *r, const struct fsck_options *o, bool verbose);

#endif
