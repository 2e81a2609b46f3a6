/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers of the patch of one file. */
#include "compat/posix.h"
#include "apply/patch-internal.h"
#include "apply/space.h"
#include "object/tree.h"
#include "util/alloc.h"

struct header {
	struct patch_reader *r;
	struct file_patch *p;
	char *common;	       /* the name that both sides have */
	size_t extension_line; /* where it was said that the file is new, deleted, renamed or copied */
};

static int bad_header(const struct header *h, struct err *err, const char *what)
{
	return err_set(err, ERR_CORRUPT, "%s at %s:%zu", what, h->r->file, h->r->line);
}

/* ---- lines of "diff --git" ---- */

static int check_old_new(struct header *h, const char *s, char **name, bool is_null, const char *side, struct err *err)
{
	char *again;
	int rc = 0;

	if (!*name && !is_null) {
		*name = patch_find_name(h->r, s, h->r->strip, NAME_ENDS_AT_TAB);
		return 0;
	}
	if (!*name)
		return patch_is_dev_null(s) ? 0 : bad_header(h, err, "git apply: bad git-diff - expected /dev/null");
	if (is_null)
		return err_set(err, ERR_CORRUPT, "git apply: bad git-diff - expected /dev/null, got %s at %s:%zu", *name,
			       h->r->file, h->r->line);
	again = patch_find_name(h->r, s, h->r->strip, NAME_ENDS_AT_TAB);
	if (!again || strcmp(again, *name))
		rc = err_set(err, ERR_CORRUPT, "git apply: bad git-diff - inconsistent %s filename at %s:%zu", side, h->r->file,
			     h->r->line);
	free(again);
	return rc;
}

static int on_old_name(struct header *h, const char *s, struct err *err)
{
	return check_old_new(h, s, &h->p->old_name, h->p->is_new > 0, "old", err);
}

static int on_new_name(struct header *h, const char *s, struct err *err)
{
	return check_old_new(h, s, &h->p->new_name, h->p->is_delete > 0, "new", err);
}

static int read_mode(struct header *h, const char *s, unsigned *out, struct err *err)
{
	char *end;
	unsigned long mode = strtoul(s, &end, 8);

	if (end == s || !patch_is_space(*end))
		return err_set(err, ERR_CORRUPT, "invalid mode at %s:%zu: %.*s\n", h->r->file, h->r->line,
			       (int)strcspn(s, "\n"), s);
	if ((mode & S_IFMT) == S_IFREG)
		*out = S_IFREG | (mode & 0100 ? 0755 : 0644);
	else if ((mode & S_IFMT) == S_IFLNK)
		*out = S_IFLNK;
	else
		*out = (mode & S_IFMT) == S_IFDIR ? S_IFDIR : 0160000;
	return 0;
}

static int on_old_mode(struct header *h, const char *s, struct err *err)
{
	return read_mode(h, s, &h->p->old_mode, err);
}

static int on_new_mode(struct header *h, const char *s, struct err *err)
{
	return read_mode(h, s, &h->p->new_mode, err);
}

static void set_name(char **name, char *value)
{
	free(*name);
	*name = value;
}

static int on_delete(struct header *h, const char *s, struct err *err)
{
	h->p->is_delete = 1;
	set_name(&h->p->old_name, h->common ? xstrdup(h->common) : NULL);
	return on_old_mode(h, s, err);
}

static int on_new(struct header *h, const char *s, struct err *err)
{
	h->p->is_new = 1;
	set_name(&h->p->new_name, h->common ? xstrdup(h->common) : NULL);
	return on_new_mode(h, s, err);
}

static char *bare_name(struct header *h, const char *s)
{
	return patch_find_name(h->r, s, h->r->strip ? h->r->strip - 1 : 0, 0);
}

static int on_copy_from(struct header *h, const char *s, struct err *err)
{
	(void)err;
	h->p->is_copy = true;
	set_name(&h->p->old_name, bare_name(h, s));
	return 0;
}

static int on_copy_to(struct header *h, const char *s, struct err *err)
{
	(void)err;
	h->p->is_copy = true;
	set_name(&h->p->new_name, bare_name(h, s));
	return 0;
}

static int on_rename_from(struct header *h, const char *s, struct err *err)
{
	(void)err;
	h->p->is_rename = true;
	set_name(&h->p->old_name, bare_name(h, s));
	return 0;
}

static int on_rename_to(struct header *h, const char *s, struct err *err)
{
	(void)err;
	h->p->is_rename = true;
	set_name(&h->p->new_name, bare_name(h, s));
	return 0;
}

static int on_score(struct header *h, const char *s, struct err *err)
{
	unsigned long score = strtoul(s, NULL, 10);

	(void)err;
	if (score <= 100)
		h->p->score = (unsigned)score;
	return 0;
}

/* "1234567..89abcde 100644" */
static int on_index(struct header *h, const char *s, struct err *err)
{
	size_t old = strcspn(s, ".\n"), new;

	if (s[old] != '.' || s[old + 1] != '.' || old > h->r->hex_len)
		return 0;
	new = strcspn(s + old + 2, " \n");
	if (new > h->r->hex_len)
		return 0;
	memcpy(h->p->old_oid, s, old);
	h->p->old_oid[old] = '\0';
	s += old + 2;
	memcpy(h->p->new_oid, s, new);
	h->p->new_oid[new] = '\0';
	return s[new] == ' ' ? read_mode(h, s + new + 1, &h->p->old_mode, err) : 0;
}

static const struct {
	const char *text;
	int (*fn)(struct header *h, const char *rest, struct err *err);
} lines[] = {
	{ "--- ", on_old_name },
	{ "+++ ", on_new_name },
	{ "old mode ", on_old_mode },
	{ "new mode ", on_new_mode },
	{ "deleted file mode ", on_delete },
	{ "new file mode ", on_new },
	{ "copy from ", on_copy_from },
	{ "copy to ", on_copy_to },
	{ "rename old ", on_rename_from },
	{ "rename new ", on_rename_to },
	{ "rename from ", on_rename_from },
	{ "rename to ", on_rename_to },
	{ "similarity index ", on_score },
	{ "dissimilarity index ", on_score },
	{ "index ", on_index },
};

/* A file cannot be new and renamed. */
static int check_extensions(struct header *h, struct err *err)
{
	const struct file_patch *p = h->p;
	int nr = (p->is_delete == 1) + (p->is_new == 1) + p->is_rename + p->is_copy;

	if (nr > 1)
		return err_set(err, ERR_CORRUPT, "inconsistent header lines %zu and %zu", h->extension_line, h->r->line);
	if (nr && !h->extension_line)
		h->extension_line = h->r->line;
	return 0;
}

/* 1: one of these lines; 0: the header ends before it. */
static int read_line(struct header *h, const char *s, size_t len, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		size_t n = strlen(lines[i].text);
		int rc;

		if (len < n || memcmp(lines[i].text, s, n))
			continue;
		rc = lines[i].fn(h, s + n, err);
		if (!rc)
			rc = check_extensions(h, err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

static int check_git_names(struct header *h, struct err *err)
{
	struct file_patch *p = h->p;

	if (!p->old_name && !p->new_name) {
		if (!h->common)
			return err_set(err, ERR_CORRUPT,
				       "git diff header lacks filename information when removing %d leading pathname "
				       "component%s at %s:%zu",
				       h->r->strip, h->r->strip == 1 ? "" : "s", h->r->file, h->r->line);
		p->old_name = xstrdup(h->common);
		p->new_name = xstrdup(h->common);
	}
	if ((!p->new_name && p->is_delete <= 0) || (!p->old_name && p->is_new <= 0))
		return bad_header(h, err, "git diff header lacks filename information");
	p->from_top = true;
	return 0;
}

int patch_read_git_header(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	size_t len = patch_line_len(r->at, r->end), nr = 0;
	struct header h = { .r = r, .p = p };
	int rc = 1;

	p->is_new = p->is_delete = 0;
	h.common = patch_common_name(r, r->at + strlen("diff --git "), r->at + len - 1);
	r->line++;
	for (r->at += len; r->at < r->end; r->at += len, r->line++, nr++) {
		len = patch_line_len(r->at, r->end);
		if (r->at[len - 1] != '\n' || (len > 4 && !memcmp(r->at, "@@ -", 4)))
			break;
		rc = read_line(&h, r->at, len, err);
		if (rc <= 0)
			break;
	}
	if (rc >= 0)
		rc = check_git_names(&h, err);
	free(h.common);
	if (rc < 0)
		return rc;
	return nr ? 1 : 0;
}

/* ---- traditional ---- */

static int count_slashes(const char *s)
{
	int n = 0;

	while ((s = strchr(s, '/'))) {
		n++;
		s++;
	}
	return n;
}

/* How many components to remove, by a name with its directories; -1: no idea. */
static int guess_strip(const struct patch_reader *r, const char *line)
{
	char *name;
	const char *slash;
	int n = -1;

	if (patch_is_dev_null(line))
		return -1;
	name = patch_find_traditional_name(r, line, NULL, 0);
	if (!name)
		return -1;
	slash = strchr(name, '/');
	if (!slash)
		n = 0;
	else if (r->prefix && starts_with(name, r->prefix))
		n = count_slashes(r->prefix);
	else if (r->prefix && starts_with(slash + 1, r->prefix))
		n = count_slashes(r->prefix) + 1;
	free(name);
	return n;
}

static void guess_strip_of_both(struct patch_reader *r, const char *old, const char *new)
{
	int p = guess_strip(r, old), q = guess_strip(r, new);

	if (p < 0)
		p = q;
	if (p >= 0 && p == q) {
		r->strip = p;
		r->strip_known = true;
	}
}

static char *copy_name(const char *name)
{
	return name ? xstrdup(name) : NULL;
}

static void set_traditional_names(struct patch_reader *r, struct file_patch *p, const char *old, const char *new)
{
	char *first, *name;

	if (patch_is_dev_null(old)) {
		p->is_new = 1;
		p->is_delete = 0;
		p->new_name = patch_find_traditional_name(r, new, NULL, r->strip);
		return;
	}
	if (patch_is_dev_null(new)) {
		p->is_new = 0;
		p->is_delete = 1;
		p->old_name = patch_find_traditional_name(r, old, NULL, r->strip);
		return;
	}
	first = patch_find_traditional_name(r, old, NULL, r->strip);
	name = patch_find_traditional_name(r, new, first, r->strip);
	if (patch_has_epoch(old)) {
		p->is_new = 1;
		p->is_delete = 0;
		p->new_name = copy_name(name);
	} else if (patch_has_epoch(new)) {
		p->is_new = 0;
		p->is_delete = 1;
		p->old_name = copy_name(name);
	} else {
		p->old_name = copy_name(name);
		p->new_name = copy_name(name);
	}
	free(first);
	free(name);
}

int patch_read_traditional_header(struct patch_reader *r, struct file_patch *p, struct err *err)
{
	const char *old = r->at + 4, *new = r->at + patch_line_len(r->at, r->end) + 4;

	if (!r->strip_known)
		guess_strip_of_both(r, old, new);
	set_traditional_names(r, p, old, new);
	if (!p->old_name && !p->new_name)
		return err_set(err, ERR_CORRUPT, "unable to find filename in patch at %s:%zu", r->file, r->line);
	r->at = new + patch_line_len(new, r->end);
	r->line += 2;
	return 0;
}
