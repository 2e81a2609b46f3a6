/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which an operation's names are made: D3, D4 and D5 of
 * Documentation/Durability, and P6 together with refs/files/. This is the one place that
 * says so: fsync_batch_publish goes through the classes from top to bottom, and within one
 * by the order of staging.
 *
 * A journal keeps that order by itself. Where directories are flushed one by one and no
 * journal orders their names, those of one phase (the number) are flushed before a name of a
 * later phase is made. On different file systems, each is sealed before a later class is
 * named on another.
 *
 * X(class, phase)
 */
#ifndef FSYNC_ORDER_H
#define FSYNC_ORDER_H

/* clang-format off */
#define PUBLISH_ORDER(X) \
	/* D3: .pack, .rev, .keep, .promisor: what the .idx, which makes a pack visible, needs */ \
	X(PUBLISH_PACK_DATA, 0) \
	X(PUBLISH_PACK_IDX, 0) \
	/* D4: objects before what names them: refs, the index, the commit-graph */ \
	X(PUBLISH_LOOSE_OBJECT, 0) \
	/* the boundary of a shallow clone: what is beyond it need not be there, once the refs lead to it;
	 * what it no longer covers must have come before */ \
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
	/* packed-refs.lock is taken when all else has been settled, so that others wait less */ \
	X(PUBLISH_REF_LATE, 1) \
	/* P6: the record of a transaction, before the first of its refs changes. With the
	 * reflogs, whose names it does not need */ \
	X(PUBLISH_REF_JOURNAL, 1) \
	/* D5: updates before deletions */ \
	X(PUBLISH_PACKED_REFS, 2) \
	X(PUBLISH_REF, 2)		/* loose refs, HEAD */ \
	/* symbolic refs go before what they lead to, so that nothing dangles */ \
	X(PUBLISH_SYMREF_DELETE, 3) \
	/* D5: packed-refs without what is deleted, or a loose file that goes would bring an
	 * old value back to light */ \
	X(PUBLISH_PACKED_DELETE, 4) \
	X(PUBLISH_REF_DELETE, 5) \
	/* P6: the record goes when the last ref has changed */ \
	X(PUBLISH_REF_JOURNAL_END, 6) \
	X(PUBLISH_REF_UNLOCK, 2)	/* locks that only kept others away */ \
	/* after the refs: settings of branches that have moved or gone; the end of MERGE_HEAD and the like, and
	 * the progress of a list of commands. A file that a crash spares is of no use, but does no harm */ \
	X(PUBLISH_FILE_LATE, 5) \
	/* last of what names objects: it names what refs hold already */ \
	X(PUBLISH_INDEX, 5) \
	/* D5 for objects: packs and loose objects that go. What replaces them, and the refs, reflogs and the
	 * index that no longer name them, come first. Of a pack the .idx goes first */ \
	X(PUBLISH_OBJECT_DELETE, 7)
/* clang-format on */

#define PUBLISH_CLASS(name, phase) name,
enum publish_class { PUBLISH_ORDER(PUBLISH_CLASS) PUBLISH_CLASS_NR };
#undef PUBLISH_CLASS

#endif
