/* SPDX-License-Identifier: GPL-2.0-only */
/* Several remotes: a command of its own for each, up to fetch.parallel of them at once. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fetch/fetch.h"
#include "cli/git-options.h"
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/run-command.h"
#include "util/workers.h"

static struct remotes *all_remotes(struct repository *r)
{
	struct remotes *all = NULL;
	struct err err = ERR_INIT;

	if (repo_remotes(r, &all, &err) < 0)
		die_err(&err);
	return all;
}

/* A member may be a group itself, unless there is a remote of that name; each group counts once. */
static void add_members(struct repository *r, const char *name, struct strset *groups, struct strvec *out)
{
	char *key = xstrfmt("remotes.%s", name), *save = NULL;
	const struct config_entry *const *values;
	size_t nr = 0;

	values = config_get_all(r->config, key, &nr);
	free(key);
	/* The fetch itself reports a name that is neither. */
	if (!nr && groups->map.nr)
		strvec_push(out, name);
	if (!nr || !strset_add(groups, name))
		return;
	for (size_t i = 0; i < nr; i++) {
		char *words = xstrdup(values[i]->value ? values[i]->value : "");

		for (char *w = strtok_r(words, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
			if (remotes_find(all_remotes(r), w))
				strvec_push(out, w);
			else
				add_members(r, w, groups, out);
		free(words);
	}
}

size_t remote_group_add(struct repository *r, const char *name, struct strvec *out)
{
	struct strset groups = STRSET_INIT;
	size_t before = out->nr;

	add_members(r, name, &groups, out);
	strset_clear(&groups);
	return out->nr - before;
}

void fetch_add_remotes(struct fetch_cmd *f, const char *name, struct strvec *out)
{
	if (remote_group_add(f->r, name, out))
		return;
	if (!remotes_find(all_remotes(f->r), name))
		die("no such remote or remote group: %s", name);
	strvec_push(out, name);
}

void fetch_add_all_remotes(struct fetch_cmd *f, struct strvec *out)
{
	struct remotes *all = all_remotes(f->r);

	for (size_t i = 0; i < remotes_nr(all); i++) {
		const struct remote *remote = remotes_at(all, i);
		char *key = xstrfmt("remote.%s.skipfetchall", remote->name);
		bool skip = remote->skip_default_update;

		(void)!config_get_bool(f->r->config, key, &skip, NULL);
		free(key);
		if (!skip)
			strvec_push(out, remote->name);
	}
}

struct one_fetch {
	struct fetch_cmd *f;
	const char *name;
	struct strbuf out, err;
	int *code;
};

/* Passes the options on, without the ones that choose remotes. */
static void pass_options(struct strvec *args, const struct fetch_cmd *f)
{
	const struct { int value; const char *yes, *no; } flags[] = {
		{ f->dry_run, "--dry-run", NULL }, { f->o.prune, "--prune", "--no-prune" },
		{ f->o.prune_tags, "--prune-tags", "--no-prune-tags" }, { f->update_head_ok, "--update-head-ok", NULL },
		{ f->force > 0, "--force", NULL }, { f->keep, "--keep", NULL },
		{ f->tags, "--tags", "--no-tags" }, { f->porcelain, "--porcelain", NULL },
		{ f->atomic, "--atomic", NULL }, { f->prefetch, "--prefetch", NULL }, { f->refetch, "--refetch", NULL },
		{ f->update_shallow, "--update-shallow", NULL }, { f->ipv4, "--ipv4", NULL }, { f->ipv6, "--ipv6", NULL },
		{ f->unshallow, "--unshallow", NULL }, { f->show_progress, "--progress", "--no-progress" },
		{ !f->write_fetch_head, "--no-write-fetch-head", NULL },
		{ !f->forced_updates, "--no-show-forced-updates", NULL },
	};
	const struct { const char *name, *value; } values[] = {
		{ "depth", f->depth }, { "deepen", f->deepen }, { "shallow-since", f->since },
		{ "upload-pack", f->o.connect.program }, { "recurse-submodules", f->recurse },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].value > 0)
			strvec_push(args, flags[i].yes);
		else if (!flags[i].value && flags[i].no)
			strvec_push(args, flags[i].no);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i].value)
			strvec_pushf(args, "--%s=%s", values[i].name, values[i].value);
	for (size_t i = 0; i < f->deepen_not.nr; i++)
		strvec_pushf(args, "--shallow-exclude=%s", f->deepen_not.v[i]);
	for (size_t i = 0; i < f->server_options.nr; i++)
		strvec_pushf(args, "--server-option=%s", f->server_options.v[i]);
	for (int i = 0; i < f->verbose; i++)
		strvec_push(args, "-v");
	for (int i = 0; i < f->quiet; i++)
		strvec_push(args, "-q");
}

static void prepare(struct child_process *cp, const struct fetch_cmd *f, const char *name)
{
	struct strvec words = STRVEC_INIT;
	struct strbuf action = STRBUF_INIT;

	strvec_pushl(&words, "fetch", "--append", "--no-auto-gc", "--no-write-commit-graph", NULL);
	pass_options(&words, f);
	/* a group may be called as one of its members */
	push_own_command(&cp->args, "fetch");
	strvec_pushv(&cp->args, words.v + 1);
	strvec_pushl(&cp->args, "--no-multiple", "--", name, NULL);
	strbuf_addstr(&action, "GIT_REFLOG_ACTION=");
	for (size_t i = 0; i < words.nr; i++)
		strbuf_addf(&action, "%s ", words.v[i]);
	strbuf_addstr(&action, name);
	if (!getenv("GIT_REFLOG_ACTION"))
		strvec_push(&cp->env, action.buf);
	strbuf_release(&action);
	strvec_clear(&words);
	cp->no_stdin = true;
}

static void run_quietly(void *data)
{
	struct one_fetch *one = data;
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int code;

	prepare(&cp, one->f, one->name);
	code = pipe_command(&cp, "", 0, &one->out, &one->err, 0, &err);
	if (code < 0)
		strbuf_addf(&one->err, "error: %s\n", err_message(&err));
	*one->code |= code != 0;
	err_release(&err);
}

static void show_one(void *data)
{
	struct one_fetch *one = data;

	if (one->f->quiet < 1)
		printf("Fetching %s\n", one->name);
	fwrite(one->err.buf, 1, one->err.len, stderr);
	fwrite(one->out.buf, 1, one->out.len, stdout);
	strbuf_release(&one->out);
	strbuf_release(&one->err);
	free(one);
}

static int fetch_beside(struct fetch_cmd *f, const struct strvec *names)
{
	struct workers *pool = workers_new(f->jobs, (size_t)f->jobs);
	int *codes = xcalloc(names->nr, sizeof(*codes)), code = 0;

	for (size_t i = 0; i < names->nr; i++) {
		struct one_fetch *one = xcalloc(1, sizeof(*one));

		*one = (struct one_fetch){ f, names->v[i], STRBUF_INIT, STRBUF_INIT, &codes[i] };
		workers_submit(pool, run_quietly, show_one, one);
	}
	workers_drain(pool);
	workers_free(pool);
	for (size_t i = 0; i < names->nr; i++) {
		if (codes[i])
			error("could not fetch '%s' (exit code: %d)", names->v[i], codes[i]);
		code |= codes[i];
	}
	free(codes);
	return code;
}

static int fetch_in_turn(struct fetch_cmd *f, const struct strvec *names)
{
	int code = 0;

	for (size_t i = 0; i < names->nr; i++) {
		struct child_process cp = CHILD_PROCESS_INIT;
		struct err err = ERR_INIT;
		int rc;

		if (f->quiet < 1 && !f->porcelain)
			printf("Fetching %s\n", names->v[i]);
		fflush(stdout);
		prepare(&cp, f, names->v[i]);
		rc = run_command(&cp, &err);
		if (rc < 0)
			report_error(&err);
		if (rc)
			error("could not fetch %s", names->v[i]);
		code |= rc != 0;
	}
	return code;
}

/* Empties FETCH_HEAD, to which all fetches append. It need not survive a crash. */
static void empty_fetch_head(const struct fetch_cmd *f)
{
	char *path = xstrfmt("%s/FETCH_HEAD", f->r->gitdir);
	int fd;

	if (f->append || !f->write_fetch_head || f->dry_run) {
		free(path);
		return;
	}
	if (sys->unlink(path) < 0 && errno != ENOENT)
		warning("cannot remove '%s': %s", path, strerror(errno));
	fd = sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		warning("cannot create '%s': %s", path, strerror(errno));
	else
		sys->close(fd);
	free(path);
}

int fetch_many(struct fetch_cmd *f, const struct strvec *names)
{
	struct strvec once = STRVEC_INIT;
	int code;

	/* As in Git, only a name beside itself counts once. */
	for (size_t i = 0; i < names->nr; i++)
		if (!i || strcmp(names->v[i], names->v[i - 1]))
			strvec_push(&once, names->v[i]);
	empty_fetch_head(f);
	code = once.nr > 1 && f->jobs > 1 ? fetch_beside(f, &once) : fetch_in_turn(f, &once);
	strvec_clear(&once);
	return code;
}
