/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Archives of trees: tar (POSIX ustar with pax headers), zip (with the 64-bit extensions), and
 * what configured programs make of a tar. git-archive(1).
 *
 *   archive_formats_read(&formats, config, err)
 *   f = archive_format_find(&formats, "tar.gz")
 *   archive_write(&options, f, fd, err)
 */
#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/err.h"

/* ---- formats ---- */

struct archive_format {
	char *name;    /* "tar", "tar.gz", "zip" */
	bool is_zip;   /* else it is made of a tar */
	bool gzip;     /* the tar is compressed here */
	char *command; /* or goes through this command line of the shell; NULL: none */
	bool remote;   /* clients of git upload-archive may ask for it */
};
struct archive_formats {
	struct archive_format *items;
	size_t nr, alloc;
};
#define ARCHIVE_FORMATS_INIT { NULL, 0, 0 }

/* The built-in ones and those of tar.<format>.command. */
MUST_USE int archive_formats_read(struct archive_formats *out, const struct config_set *c,
				  struct err *err);
void archive_formats_release(struct archive_formats *l);
const struct archive_format *archive_format_find(const struct archive_formats *l, const char *name);
/* By the end of a file's name, "x.tar.gz"; NULL: none fits. */
const struct archive_format *archive_format_of_file(const struct archive_formats *l,
						    const char *path);
/* Can it be made with this level of compression? -1, none asked for: yes. */
bool archive_format_takes_level(const struct archive_format *f, int level);

/* ---- one archive ---- */

/* A file that is not of the tree: --add-file, --add-virtual-file. */
struct archive_extra {
	char *path;	    /* in the archive; all owned */
	char *file;	    /* its content comes from there; NULL: it is `content` */
	char *content;
	size_t content_len;
	unsigned mode;	    /* MODE_FILE or MODE_EXEC */
};

struct archive_options {
	struct repository *repo;
	struct object_id tree;
	struct object_id root;		/* with cwd: `tree` is its directory of that name */
	const char *cwd;		/* "dir/": where the command runs in the work tree; NULL: at the top */
	const char *worktree;		/* for absolute paths; NULL: they are outside */
	const char *ref;		/* a name for it, which filters get in full; NULL: none */
	const struct object_id *commit; /* written into the archive, and for export-subst; NULL: none */
	timestamp_t mtime;		/* of all entries */
	const char *prefix;		/* before all paths of the tree */
	const char *const *paths;	/* pathspecs, relative to cwd; NULL-terminated */
	bool worktree_attributes;	/* .gitattributes of the work tree count too */
	int level;			/* of compression; -1: that of the format */
	const struct archive_extra *extras;
	size_t nr_extras;
	void (*verbose)(const char *path); /* told each path; may be NULL */
};

/*
 * Write it to fd. ERR_INVALID: a pathspec matches nothing; a path does not fit into the format.
 * After an error the output is not a valid archive.
 *
 * Cost: blobs larger than core.bigFileThreshold that need no conversion are streamed, others held
 * in memory one at a time; one walk of the tree for the attributes and one for the content.
 */
MUST_USE int archive_write(const struct archive_options *o, const struct archive_format *f, int fd,
			   struct err *err);

#endif
