/* SPDX-License-Identifier: GPL-2.0-only */
/* Which formats there are: tar.<format>.command and .remote of git-config(1). */
#include "compat/posix.h"
#include "archive/archive.h"
#include "config/config.h"
#include "util/alloc.h"
#include "util/strbuf.h"

/* What a configured command says to mean our own compression. */
#define GZIP_COMMAND "git archive gzip"

static struct archive_format *add(struct archive_formats *l, const char *name, size_t len)
{
	struct archive_format *f;

	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	f = &l->items[l->nr++];
	memset(f, 0, sizeof(*f));
	f->name = xmemdupz(name, len);
	return f;
}

static struct archive_format *find(const struct archive_formats *l, const char *name, size_t len)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strncmp(l->items[i].name, name, len) && !l->items[i].name[len])
			return &l->items[i];
	return NULL;
}

/* An empty command means none. */
static void set_command(struct archive_format *f, const char *command)
{
	FREE_AND_NULL(f->command);
	f->gzip = !strcmp(command, GZIP_COMMAND);
	if (!f->gzip && *command)
		f->command = xstrdup(command);
}

/* "tar.<format>.command", "tar.<format>.remote". */
static int add_setting(struct archive_formats *l, const struct config_entry *e, struct err *err)
{
	const char *name, *last;
	struct archive_format *f;
	size_t len;

	if (!skip_prefix(e->key, "tar.", &name) || !(last = strrchr(name, '.')))
		return 0;
	len = (size_t)(last - name);
	if (strcmp(last, ".command") && strcmp(last, ".remote"))
		return 0;
	f = find(l, name, len);
	if (f && !strcmp(f->name, "tar"))
		return 0; /* it is what others are made of */
	if (!f)
		f = add(l, name, len);
	if (!strcmp(last, ".remote"))
		return config_entry_bool(e, &f->remote, err);
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	set_command(f, e->value);
	return 0;
}

/* Those of which only "remote" was said are none. */
static void drop_incomplete(struct archive_formats *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct archive_format *f = &l->items[i];

		if (f->gzip || f->command || !strcmp(f->name, "tar"))
			l->items[kept++] = *f;
		else
			free(f->name);
	}
	l->nr = kept;
}

int archive_formats_read(struct archive_formats *out, const struct config_set *c, struct err *err)
{
	static const char *const gzips[] = { "tgz", "tar.gz" };
	struct archive_formats l = ARCHIVE_FORMATS_INIT;
	struct archive_format *f;
	int rc = 0;

	add(&l, "tar", 3)->remote = true;
	for (size_t i = 0; i < ARRAY_SIZE(gzips); i++) {
		f = add(&l, gzips[i], strlen(gzips[i]));
		f->gzip = f->remote = true;
	}
	for (size_t i = 0; !rc && i < config_nr(c); i++)
		rc = add_setting(&l, config_at(c, i), err);
	drop_incomplete(&l);
	f = add(&l, "zip", 3);
	f->is_zip = f->remote = true;
	if (rc)
		archive_formats_release(&l);
	else
		*out = l;
	return rc;
}

void archive_formats_release(struct archive_formats *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->items[i].name);
		free(l->items[i].command);
	}
	FREE_AND_NULL(l->items);
	l->nr = l->alloc = 0;
}

const struct archive_format *archive_format_find(const struct archive_formats *l, const char *name)
{
	return find(l, name, strlen(name));
}

const struct archive_format *archive_format_of_file(const struct archive_formats *l,
						    const char *path)
{
	for (size_t i = 0; i < l->nr; i++) {
		size_t n = strlen(l->items[i].name), len = strlen(path);

		if (len > n + 1 && path[len - n - 1] == '.' && !strcmp(path + len - n, l->items[i].name))
			return &l->items[i];
	}
	return NULL;
}

bool archive_format_takes_level(const struct archive_format *f, int level)
{
	if (level < 0 || f->command)
		return true;
	return (f->is_zip || f->gzip) && level <= 9;
}
