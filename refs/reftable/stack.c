/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a stack of tables. */
#include "compat/posix.h"
#include "fs/file.h"
#include "refs/reftable/stack-internal.h"
#include "util/alloc.h"
#include "util/string-list.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)
/* A list that names a missing table is read again, as a newer one may have come in between. */
#define LIST_TRIES 5
#define LIST_PAUSE_MS 10
/* A change needs one for each line that it adds to a log. */
#define INDEX_MAX (UINT64_MAX - UINT32_MAX)

struct reftable_stack *reftable_stack_new(const char *gitdir, const struct hash_algo *algo)
{
	struct reftable_stack *s;

	CALLOC_ARRAY(s, 1);
	s->dir = xstrfmt("%s/reftable", gitdir);
	s->list_path = xstrfmt("%s/tables.list", s->dir);
	s->algo = algo;
	s->list_fd = -1;
	return s;
}

static void put_tables(struct reftable **tables, size_t nr)
{
	while (nr)
		reftable_put(tables[--nr]);
	free(tables);
}

void reftable_stack_free(struct reftable_stack *s)
{
	if (!s)
		return;
	put_tables(s->tables, s->nr);
	if (s->list_fd >= 0)
		close(s->list_fd);
	free(s->dir);
	free(s->list_path);
	free(s);
}

/* ---- the list ---- */

/* *fd -1: there is none. A FIFO does not block us (O_NONBLOCK), and is no empty list. */
static int open_list(const struct reftable_stack *s, int *fd, struct stat *st, struct err *err)
{
	int rc;

	*fd = open(s->list_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (*fd < 0 || fstat(*fd, st))
		rc = err_set_errno(err, "cannot open '%s'", s->list_path);
	else if (!S_ISREG(st->st_mode))
		rc = err_set(err, ERR_CORRUPT, "'%s' is not a regular file", s->list_path);
	else
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return rc;
}

static bool is_table_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int parse_list(const struct reftable_stack *s, int fd, struct string_list *names, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *line, *next;
	int rc = read_fd(&text, fd, LIST_BYTES_MAX, s->list_path, err);

	if (!rc && strlen(text.buf) != text.len)
		rc = err_set(err, ERR_CORRUPT, "'%s' has a NUL in it", s->list_path);
	for (line = text.buf; !rc && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (!is_table_name(line))
			rc = err_set(err, ERR_CORRUPT, "'%s' has a malformed line: '%s'", s->list_path, line);
		else
			string_list_append(names, line);
	}
	strbuf_release(&text);
	return rc;
}

/* ---- tables ---- */

static struct reftable *find_open(const struct reftable_stack *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->tables[i]->name, name))
			return s->tables[i];
	return NULL;
}

static int open_tables(const struct reftable_stack *s, const struct string_list *names, struct reftable ***out,
		       struct err *err)
{
	struct reftable **tables = xcalloc(names->nr + 1, sizeof(*tables));
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < names->nr; i++) {
		struct reftable *t = find_open(s, names->items[i].string);
		char *path = xstrfmt("%s/%s", s->dir, names->items[i].string);

		if (t)
			tables[i] = reftable_get(t);
		else
			rc = reftable_open(&tables[i], path, s->algo, err);
		free(path);
	}
	if (rc < 0)
		put_tables(tables, names->nr);
	else
		*out = tables;
	return rc;
}

/* Reads the list and opens its tables. ERR_NOT_FOUND: one is missing. */
static int reload_once(struct reftable_stack *s, struct err *err)
{
	struct string_list names = STRING_LIST_INIT;
	struct reftable **tables = NULL;
	struct stat st = { .st_size = 0 };
	int fd, rc = open_list(s, &fd, &st, err);

	if (!rc && fd >= 0)
		rc = parse_list(s, fd, &names, err);
	if (!rc)
		rc = open_tables(s, &names, &tables, err);
	if (!rc) {
		put_tables(s->tables, s->nr);
		if (s->list_fd >= 0)
			close(s->list_fd);
		s->tables = tables;
		s->nr = names.nr;
		s->list_fd = fd;
		s->list_st = st;
		s->is_read = true;
	} else if (fd >= 0) {
		close(fd);
	}
	string_list_clear(&names, NULL);
	return rc;
}

static bool is_up_to_date(const struct reftable_stack *s)
{
	struct stat st;

	if (!s->is_read)
		return false;
	if (stat(s->list_path, &st) < 0)
		return s->list_fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	return s->list_fd >= 0 && is_same_state(&st, &s->list_st);
}

int reftable_stack_reload(struct reftable_stack *s, struct err *err)
{
	struct err why = ERR_INIT;
	int rc;

	if (is_up_to_date(s))
		return 0;
	for (int try = 1; (rc = reload_once(s, &why)) == ERR_NOT_FOUND && try < LIST_TRIES; try++) {
		err_release(&why);
		nanosleep(&(struct timespec){ .tv_nsec = try * LIST_PAUSE_MS * 1000000L }, NULL);
	}
	if (rc == ERR_NOT_FOUND)
		rc = err_set(err, ERR_CORRUPT, "'%s' names a missing table: %s", s->list_path, err_message(&why));
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

/* Tables that another program has damaged may be out of order. */
int reftable_stack_next_index(const struct reftable_stack *s, uint64_t *out, struct err *err)
{
	uint64_t max = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (s->tables[i]->max_update_index > max)
			max = s->tables[i]->max_update_index;
	if (max > INDEX_MAX)
		return err_set(err, ERR_CORRUPT, "the update indexes of the tables in '%s' have come to their end", s->dir);
	*out = max + 1;
	return 0;
}
