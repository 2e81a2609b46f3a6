/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the object checks share: message ids, and the report of a finding. */
#ifndef OBJECT_FSCK_INTERNAL_H
#define OBJECT_FSCK_INTERNAL_H

#include "compat/posix.h"
#include "object/fsck.h"

/* id, name in messages and configuration, default severity (git-fsck(1)) */
#define FSCK_MESSAGES(X) \
	X(BAD_DATE, "badDate", ERROR) \
	X(BAD_DATE_OVERFLOW, "badDateOverflow", ERROR) \
	X(BAD_EMAIL, "badEmail", ERROR) \
	X(BAD_FILEMODE, "badFilemode", INFO) \
	X(BAD_HEAD_TARGET, "badHeadTarget", ERROR) \
	X(BAD_NAME, "badName", ERROR) \
	X(BAD_OBJECT_SHA1, "badObjectSha1", ERROR) \
	X(BAD_PACKED_REF_ENTRY, "badPackedRefEntry", ERROR) \
	X(BAD_PACKED_REF_HEADER, "badPackedRefHeader", ERROR) \
	X(BAD_PARENT_SHA1, "badParentSha1", ERROR) \
	X(BAD_REF_CONTENT, "badRefContent", ERROR) \
	X(BAD_REF_FILETYPE, "badRefFiletype", ERROR) \
	X(BAD_REF_NAME, "badRefName", ERROR) \
	X(BAD_REF_OID, "badRefOid", ERROR) \
	X(BAD_REFERENT_NAME, "badReferentName", ERROR) \
	X(BAD_REFTABLE, "badReftable", ERROR) \
	X(BAD_REFTABLE_LIST, "badReftableList", ERROR) \
	X(BAD_REFTABLE_TABLE_NAME, "badReftableTableName", WARN) \
	X(BAD_TAG_NAME, "badTagName", INFO) \
	X(BAD_TIMEZONE, "badTimezone", ERROR) \
	X(BAD_TREE, "badTree", ERROR) \
	X(BAD_TREE_SHA1, "badTreeSha1", ERROR) \
	X(BAD_TYPE, "badType", ERROR) \
	X(DUPLICATE_ENTRIES, "duplicateEntries", ERROR) \
	X(EMPTY_NAME, "emptyName", WARN) \
	X(EMPTY_PACKED_REFS_FILE, "emptyPackedRefsFile", INFO) \
	X(EXTRA_HEADER_ENTRY, "extraHeaderEntry", IGNORE) \
	X(FULL_PATHNAME, "fullPathname", WARN) \
	X(GITATTRIBUTES_BLOB, "gitattributesBlob", ERROR) \
	X(GITATTRIBUTES_LARGE, "gitattributesLarge", ERROR) \
	X(GITATTRIBUTES_LINE_LENGTH, "gitattributesLineLength", ERROR) \
	X(GITATTRIBUTES_MISSING, "gitattributesMissing", ERROR) \
	X(GITATTRIBUTES_SYMLINK, "gitattributesSymlink", INFO) \
	X(GITIGNORE_SYMLINK, "gitignoreSymlink", INFO) \
	X(GITMODULES_BLOB, "gitmodulesBlob", ERROR) \
	X(GITMODULES_LARGE, "gitmodulesLarge", ERROR) \
	X(GITMODULES_MISSING, "gitmodulesMissing", ERROR) \
	X(GITMODULES_NAME, "gitmodulesName", ERROR) \
	X(GITMODULES_PARSE, "gitmodulesParse", INFO) \
	X(GITMODULES_PATH, "gitmodulesPath", ERROR) \
	X(GITMODULES_SYMLINK, "gitmodulesSymlink", ERROR) \
	X(GITMODULES_UPDATE, "gitmodulesUpdate", ERROR) \
	X(GITMODULES_URL, "gitmodulesUrl", ERROR) \
	X(HAS_DOT, "hasDot", WARN) \
	X(HAS_DOTDOT, "hasDotdot", WARN) \
	X(HAS_DOTGIT, "hasDotgit", WARN) \
	X(MAILMAP_SYMLINK, "mailmapSymlink", INFO) \
	X(MISSING_AUTHOR, "missingAuthor", ERROR) \
	X(MISSING_COMMITTER, "missingCommitter", ERROR) \
	X(MISSING_EMAIL, "missingEmail", ERROR) \
	X(MISSING_NAME_BEFORE_EMAIL, "missingNameBeforeEmail", ERROR) \
	X(MISSING_OBJECT, "missingObject", ERROR) \
	X(MISSING_SPACE_BEFORE_DATE, "missingSpaceBeforeDate", ERROR) \
	X(MISSING_SPACE_BEFORE_EMAIL, "missingSpaceBeforeEmail", ERROR) \
	X(MISSING_TAG, "missingTag", ERROR) \
	X(MISSING_TAG_ENTRY, "missingTagEntry", ERROR) \
	X(MISSING_TAGGER_ENTRY, "missingTaggerEntry", INFO) \
	X(MISSING_TREE, "missingTree", ERROR) \
	X(MISSING_TYPE, "missingType", ERROR) \
	X(MISSING_TYPE_ENTRY, "missingTypeEntry", ERROR) \
	X(MULTIPLE_AUTHORS, "multipleAuthors", ERROR) \
	X(NUL_IN_COMMIT, "nulInCommit", WARN) \
	X(NUL_IN_HEADER, "nulInHeader", FATAL) \
	X(NULL_SHA1, "nullSha1", WARN) \
	X(PACKED_REF_ENTRY_NOT_TERMINATED, "packedRefEntryNotTerminated", ERROR) \
	X(PACKED_REF_UNSORTED, "packedRefUnsorted", ERROR) \
	X(REF_TRANSACTION_SET_ASIDE, "refTransactionSetAside", WARN) \
	X(REF_MISSING_NEWLINE, "refMissingNewline", INFO) \
	X(SYMLINK_REF, "symlinkRef", INFO) \
	X(SYMREF_TARGET_IS_NOT_A_REF, "symrefTargetIsNotARef", INFO) \
	X(TRAILING_REF_CONTENT, "trailingRefContent", INFO) \
	X(TREE_NOT_SORTED, "treeNotSorted", ERROR) \
	X(UNKNOWN_TYPE, "unknownType", ERROR) \
	X(UNTERMINATED_HEADER, "unterminatedHeader", FATAL) \
	X(ZERO_PADDED_DATE, "zeroPaddedDate", ERROR) \
	X(ZERO_PADDED_FILEMODE, "zeroPaddedFilemode", WARN)

enum fsck_msg {
#define X(id, name, severity) MSG_##id,
	FSCK_MESSAGES(X)
#undef X
	FSCK_MSG_NR
};

/* The object under check. */
struct fsck_item {
	struct fsck_options *o;
	const struct object_id *oid;
	enum object_type type;
	const struct hash_algo *algo;
};

/* Report a finding. Returns the result of the callback: 0 to continue. */
int fsck_found(struct fsck_item *it, enum fsck_msg msg, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Each returns the number of failures. */
int fsck_tree(struct fsck_item *it, const void *buf, size_t size);
int fsck_commit(struct fsck_item *it, const char *buf, size_t size);
int fsck_tag(struct fsck_item *it, const char *buf, size_t size);
int fsck_blob(struct fsck_item *it, const char *buf, size_t size);

#endif
