/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk for untracked files in a thread of its own, beside the comparison of the tracked ones. */
#include "compat/posix.h"
#include "compat/os.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/workers.h"
#include "worktree/worktree.h"

/* The comparison of fewer entries takes less time than a thread: in a small repository that was a fifth of `git status`. */
#define ENTRIES_BESIDE 500u

struct found_path {
	size_t at, len;
	int why; /* errno of what cannot be read */
	bool is_dir;
	enum dirwalk_kind kind;
};

struct untracked_scan {
	struct repository *r;
	const struct index_state *ix;
	const struct pathspec *ps;
	struct ignore *ig;
	enum untracked_mode mode;
	unsigned flags;
	pthread_t thread;
	bool running;
	struct strbuf text;
	struct found_path *found;
	size_t nr, alloc;
	int ret;
	struct err err;
};

static int add_found(void *data, const char *path, size_t len, bool is_dir,
		     enum dirwalk_kind kind)
{
	struct untracked_scan *s = data;
	int why = errno;

	ALLOC_GROW(s->found, s->nr + 1, s->alloc);
	s->found[s->nr++] = (struct found_path){ s->text.len, len, why, is_dir, kind };
	strbuf_add(&s->text, path, len);
	strbuf_addch(&s->text, '\0');
	return 0;
}

static void *run_scan(void *data)
{
	struct untracked_scan *s = data;

	s->ret = worktree_walk_untracked(s->r, s->ix, s->ig, s->ps, s->mode, s->flags, add_found,
					 s, &s->err);
	return NULL;
}

int untracked_scan_start(struct untracked_scan **out, struct repository *r,
			 const struct index_state *ix, const struct pathspec *ps,
			 enum untracked_mode mode, unsigned flags, struct err *err)
{
	struct untracked_scan *s = xcalloc(1, sizeof(*s));
	int ret = ignore_new(&s->ig, r, ix, err);

	if (ret) {
		free(s);
		return ret;
	}
	s->r = r;
	s->ix = ix;
	s->ps = ps;
	s->mode = mode;
	s->flags = flags;
	strbuf_init(&s->text, 0);
	if (ix->nr >= ENTRIES_BESIDE && os_cpu_count() > 1)
		s->running = start_thread(&s->thread, run_scan, s);
	*out = s;
	return 0;
}

int untracked_scan_finish(struct untracked_scan *s, dirwalk_fn fn, void *data, struct err *err)
{
	int ret;

	if (s->running)
		pthread_join(s->thread, NULL);
	else if (fn)
		run_scan(s);
	ret = s->ret;
	if (ret)
		err_move(err, &s->err);
	for (size_t i = 0; i < s->nr && !ret && fn; i++) {
		const struct found_path *f = &s->found[i];

		errno = f->why;
		ret = fn(data, s->text.buf + f->at, f->len, f->is_dir, f->kind);
	}
	err_release(&s->err);
	ignore_free(s->ig);
	strbuf_release(&s->text);
	free(s->found);
	free(s);
	return ret;
}
