/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads read and search texts in batches. The results are printed in the order in which the texts were added. */
#include "compat/posix.h"
#include "builtin/grep/grep-cmd.h"
#include "compat/os.h"
#include "diff/funcname.h"
#include "fs/file.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/workers.h"

#define BATCHES_IN_FLIGHT 16
#define BATCH_TEXTS 64		/* a thread is woken for so many files, */
#define BATCH_BYTES (256 << 10) /* or for so much text, as far as the index tells */
#define BINARY_CHECK_BYTES 8000 /* a NUL in these makes a text binary */

struct text_source {
	char *path; /* from the top of the command's repository */
	struct object_id oid;
	uint64_t size; /* of a file, as the index tells */
	bool is_blob;
	struct diff_driver driver;
	const struct funcname *functions;
};

struct grep_batch {
	struct grep_cmd *c;
	struct grep_repo *repo;
	char *prefix; /* of names: "HEAD:" */
	struct text_source texts[BATCH_TEXTS];
	size_t nr;
	uint64_t bytes;
	struct grep_output out;
	struct strbuf errors, fatal;
	struct strvec found; /* -O: paths */
	bool hit;
};

/* ---- matchers ---- */

/* There are as many as threads, and one for the thread that adds. */
static struct grep_matcher *take_matcher(struct grep_cmd *c)
{
	struct grep_matcher *m;

	pthread_mutex_lock(&c->lock);
	if (!c->nr_matchers)
		BUG("more threads search than there are matchers");
	m = c->matchers[--c->nr_matchers];
	pthread_mutex_unlock(&c->lock);
	return m;
}

static void give_matcher(struct grep_cmd *c, struct grep_matcher *m)
{
	pthread_mutex_lock(&c->lock);
	c->matchers[c->nr_matchers++] = m;
	pthread_mutex_unlock(&c->lock);
}

/* All of them in the main thread, whose stack is the largest: regcomp(3) needs it for groups in groups. */
int grep_begin_jobs(struct grep_cmd *c, struct err *err)
{
	int threads = c->o.threads > 0 ? c->o.threads : os_cpu_count(), rc = 0;

	pthread_mutex_init(&c->lock, NULL);
	CALLOC_ARRAY(c->matchers, (size_t)threads + 1);
	for (int i = 0; !rc && i < (threads > 1 ? threads + 1 : 1); i++) {
		rc = grep_matcher_new(&c->matchers[i], &c->o.words, &c->o.rules, err);
		c->nr_matchers += !rc;
	}
	c->workers = workers_new(threads, BATCHES_IN_FLIGHT);
	return rc;
}

/* ---- one text ---- */

/* What grep_text's add_name needs. */
struct text_names {
	const struct grep_cmd *c;
	const char *prefix, *path;
};

static void add_shown_name(const void *data, struct strbuf *out)
{
	const struct text_names *n = data;
	const struct grep_cmd *c = n->c;
	struct strbuf plain = STRBUF_INIT;

	strbuf_addstr(&plain, n->prefix);
	if (c->r && c->r->prefix && !c->o.full_name)
		strbuf_add_from_prefix(&plain, n->path, c->r->prefix);
	else
		strbuf_addstr(&plain, n->path);
	if (c->o.format.nul)
		strbuf_addbuf(out, &plain);
	else
		quote_c_style(out, plain.buf, plain.len, !c->r || c->r->settings.quote_path);
	strbuf_release(&plain);
}

static bool is_binary(const struct text_source *s, const struct strbuf *text)
{
	if (s->driver.binary >= 0)
		return s->driver.binary;
	return memchr(text->buf, '\0', text->len < BINARY_CHECK_BYTES ? text->len : BINARY_CHECK_BYTES) != NULL;
}

static int read_blob(struct grep_batch *b, const struct text_source *s, struct strbuf *text)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	int rc = odb_read_type(b->repo->r->odb, &s->oid, OBJ_BLOB, &buf, &err);

	if (rc < 0)
		strbuf_addf(&b->errors, "error: '%s%s': unable to read %s\n", b->prefix, s->path, oid_hex(&s->oid));
	else
		strbuf_attach(text, buf.data, buf.size, buf.size + 1);
	err_release(&err);
	return rc;
}

/* Files that are gone, and others than regular files, are passed over. */
static int read_worktree_file(struct grep_batch *b, const struct text_source *s, struct strbuf *text)
{
	struct err err = ERR_INIT;
	struct stat st;
	int rc = read_file_expected(text, s->path, s->size, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND && !lstat(s->path, &st) && S_ISREG(st.st_mode))
		strbuf_addf(&b->errors, "error: '%s': %s\n", s->path, err_message(&err));
	err_release(&err);
	return rc;
}

/* In the main thread: programs are not for others. */
static void convert(struct grep_batch *b, struct text_source *s, struct strbuf *text)
{
	struct object_buf buf = { OBJ_BLOB, NULL, text->len };
	struct err err = ERR_INIT;

	if (!b->c->o.textconv || !s->driver.textconv)
		return;
	buf.data = strbuf_detach(text, &buf.size);
	if (diff_textconv_object(&b->repo->diff, s->path + strlen(b->repo->base), &s->oid, &buf, &err) < 0)
		die_err(&err);
	strbuf_attach(text, buf.data, buf.size, buf.size + 1);
	s->driver.binary = 0;
}

static bool names_function(const void *functions, const char *line, size_t len)
{
	struct text_line l = { line, len };

	return funcname_of_line(functions, &l, NULL);
}

/* -O: as the pager, in the present directory, finds it. */
static void note_found(struct grep_batch *b, const char *path)
{
	const char *prefix = b->c->r ? b->c->r->prefix : NULL;
	struct strbuf name = STRBUF_INIT;

	if (prefix)
		strbuf_add_from_prefix(&name, path, prefix);
	strvec_push(&b->found, prefix ? name.buf : path);
	strbuf_release(&name);
}

static void search_text(struct grep_batch *b, const struct text_source *s, struct grep_matcher *m, const struct strbuf *text)
{
	const struct grep_format *f = &b->c->o.format;
	struct text_names names = { b->c, b->prefix, s->path };
	struct grep_text t = {
		.add_name = add_shown_name, .names = &names, .data = text->buf, .len = text->len, .names_function = names_function,
		.functions = s->functions
	};

	t.is_binary = f->binary != GREP_BINARY_TEXT && is_binary(s, text);
	if (grep_search(f, m, &t, &b->out)) {
		b->hit = true;
		if (b->c->o.open_in_pager)
			note_found(b, s->path);
	}
}

static void search_batch(void *data)
{
	struct grep_batch *b = data;
	struct grep_matcher *m = take_matcher(b->c);
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < b->nr && !(b->hit && b->c->o.format.quiet); i++) {
		struct text_source *s = &b->texts[i];

		strbuf_reset(&text);
		if (s->is_blob ? read_blob(b, s, &text) : read_worktree_file(b, s, &text))
			continue;
		convert(b, s, &text);
		search_text(b, s, m, &text);
		if (grep_matcher_failed(m, &b->fatal))
			break;
	}
	strbuf_release(&text);
	give_matcher(b->c, m);
}

/* Without a mark in front of the first lines. */
static void print(struct grep_cmd *c, const struct grep_batch *b)
{
	const struct grep_output *o = &b->out;
	bool skips = o->has_lines && !c->has_printed;
	size_t begin = skips ? o->first_mark : 0, rest = skips ? begin + o->mark_len : 0;

	fwrite(o->text.buf, 1, begin, stdout);
	fwrite(o->text.buf + rest, 1, o->text.len - rest, stdout);
	c->has_printed |= o->has_lines;
}

static void free_batch(struct grep_batch *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->texts[i].path);
	strbuf_release(&b->out.text);
	strbuf_release(&b->out.name);
	strbuf_release(&b->errors);
	strbuf_release(&b->fatal);
	strvec_clear(&b->found);
	grep_repo_release(b->repo);
	free(b->prefix);
	free(b);
}

static void finish_batch(void *data)
{
	struct grep_batch *b = data;
	struct grep_cmd *c = b->c;

	c->hit |= b->hit;
	fputs(b->errors.buf, stderr);
	for (size_t i = 0; i < b->found.nr; i++)
		strvec_push(&c->found, b->found.v[i]);
	if (b->out.text.len && !c->o.open_in_pager)
		print(c, b);
	if (b->fatal.len)
		die("%s", b->fatal.buf);
	free_batch(b);
}

/* ---- adding ---- */

static void submit_batch(struct grep_cmd *c)
{
	struct grep_batch *b = c->batch;

	c->batch = NULL;
	if (b)
		workers_submit(c->workers, search_batch, finish_batch, b);
}

static struct grep_batch *open_batch(struct grep_cmd *c, struct grep_repo *repo, const char *prefix)
{
	struct grep_batch *b;

	if (c->batch && (c->batch->repo != repo || strcmp(c->batch->prefix, prefix) != 0))
		submit_batch(c);
	if (c->batch)
		return c->batch;
	b = c->batch = xcalloc(1, sizeof(*b));
	b->c = c;
	b->repo = repo;
	repo->users++;
	b->prefix = xstrdup(prefix);
	strbuf_init(&b->out.text, 0);
	strbuf_init(&b->out.name, 0);
	strbuf_init(&b->errors, 0);
	strbuf_init(&b->fatal, 0);
	strvec_init(&b->found);
	return b;
}

static void add(struct grep_cmd *c, struct grep_repo *repo, const char *prefix, const char *path, const struct object_id *oid,
		uint64_t size)
{
	struct grep_batch *b = open_batch(c, repo, prefix);
	struct text_source *s = &b->texts[b->nr++];

	s->path = xstrfmt("%s%s", repo->base, path);
	s->size = size;
	s->is_blob = oid != NULL;
	if (oid)
		s->oid = *oid;
	s->driver.binary = -1;
	if (repo->diff.driver)
		repo->diff.driver(repo->diff.driver_data, path, &s->driver);
	s->functions = grep_repo_functions(c, repo, &s->driver);
	b->bytes += size;
	if (c->o.textconv && s->driver.textconv) {
		c->batch = NULL;
		workers_drain(c->workers);
		search_batch(b);
		finish_batch(b);
	} else if (b->nr == BATCH_TEXTS || b->bytes >= BATCH_BYTES) {
		submit_batch(c);
	}
}

void grep_add_file(struct grep_cmd *c, struct grep_repo *repo, const char *path, uint64_t size)
{
	if (!c->o.format.quiet || !c->hit)
		add(c, repo, "", path, NULL, size);
}

void grep_add_blob(struct grep_cmd *c, struct grep_repo *repo, const char *prefix, const char *path, const struct object_id *oid)
{
	if (!c->o.format.quiet || !c->hit)
		add(c, repo, prefix, path, oid, BATCH_BYTES / BATCH_TEXTS);
}

void grep_end_jobs(struct grep_cmd *c)
{
	submit_batch(c);
	workers_free(c->workers);
	while (c->nr_matchers)
		grep_matcher_free(c->matchers[--c->nr_matchers]);
	free(c->matchers);
	pthread_mutex_destroy(&c->lock);
}
