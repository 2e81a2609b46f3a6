/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which an operation publishes names: D3, D4 and D5 of Documentation/Durability, and
 * P6 together with refs/files/. It is defined only here: fsync_batch_publish goes through the
 * classes from top to bottom, and publishes each class in the order of staging.
 *
 * A journal keeps that order by itself. If directories are flushed one by one and no journal orders
 * their names, the names of one phase (the number) are flushed before a name of a later phase is
 * made. If an operation writes to several file systems, each is sealed before another one gets a
 * name of a later class.
 *
 * X(class, phase)
 */
#ifndef FSYNC_ORDER_H
#define FSYNC_ORDER_H

/* clang-format off */
#define PUBLISH_ORDER(X) \
	/* D3: .pack, .rev, .keep, .promisor: the .idx needs them, and makes the pack visible */ \
	X(PUBLISH_PACK_DATA, 0) \
	X(PUBLISH_PACK_IDX, 0) \
	/* D4: objects before the refs, the index and the commit-graph that name them */ \
	X(PUBLISH_LOOSE_OBJECT, 0) \
	/* the boundary of a shallow clone. Before the refs: they may lead to commits whose parents only
	 * the boundary allows to be missing. After the objects: a moved boundary may need them */ \
	X(PUBLISH_SHALLOW, 1) \
	X(PUBLISH_DERIVED, 2)		/* multi-pack-index, commit-graph */ \
	/* settings of a new branch before the branch: without one they do no harm */ \
	X(PUBLISH_FILE, 2)		/* config and the like */ \
	/* D4, P7: a file that begins an operation (MERGE_HEAD, rebase-merge/head-name) names objects, and comes
	 * before the refs and the index change for it. Alone it can be aborted without loss; conflicts in the
	 * index without it would become an ordinary commit. The whole reason is in repo/state.h */ \
	X(PUBLISH_STATE, 2) \
	/* D4: a line names objects, and is appended before the ref moves */ \
	X(PUBLISH_REFLOG, 2) \
	/* packed-refs.lock is taken after all else has been settled, so that other processes wait less */ \
	X(PUBLISH_REF_LATE, 1) \
	/* P6: the record of a transaction, before the first of its refs changes. In one flush with the
	 * reflogs, whose names it does not need */ \
	X(PUBLISH_REF_JOURNAL, 1) \
	/* D5: updates before deletions */ \
	X(PUBLISH_PACKED_REFS, 2) \
	X(PUBLISH_REF, 2)		/* loose refs, HEAD */ \
	/* symbolic refs are deleted before their targets, so that none dangles */ \
	X(PUBLISH_SYMREF_DELETE, 3) \
	/* D5: packed-refs without the deleted refs, before their loose files go: otherwise an old
	 * packed value would become visible again */ \
	X(PUBLISH_PACKED_DELETE, 4) \
	X(PUBLISH_REF_DELETE, 5) \
	/* P6: the record goes when the last ref has changed */ \
	X(PUBLISH_REF_JOURNAL_END, 6) \
	X(PUBLISH_REF_UNLOCK, 2)	/* locks that only kept others away */ \
	/* after the refs: settings of branches that were renamed or deleted; the end of MERGE_HEAD and other
	 * state files, and the progress of a list of commands. If a crash leaves some of these files, they are
	 * of no use, but do no harm */ \
	X(PUBLISH_FILE_LATE, 5) \
	/* last of the files that name objects: refs hold its objects already */ \
	X(PUBLISH_INDEX, 5) \
	/* P7: WORKTREE_UPDATE goes after all that it stands for: HEAD and the index belong to the new files then */ \
	X(PUBLISH_STATE_END, 6) \
	/* D5 for objects: packs and loose objects that are deleted. Their replacements come first, and the
	 * refs, reflogs and the index that no longer name them. The .idx of a pack is deleted first */ \
	X(PUBLISH_OBJECT_DELETE, 7)
/* clang-format on */

#define PUBLISH_CLASS(name, phase) name,
enum publish_class { PUBLISH_ORDER(PUBLISH_CLASS) PUBLISH_CLASS_NR };
#undef PUBLISH_CLASS

#endif
