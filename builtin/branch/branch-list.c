/* SPDX-License-Identifier: GPL-2.0-only */
/* git branch --list: a format for reflist, made of the options. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "cli/column.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/utf8.h"
#include "worktree/status.h"

/* ---- colours ---- */

enum slot { SLOT_RESET, SLOT_PLAIN, SLOT_REMOTE, SLOT_LOCAL, SLOT_CURRENT, SLOT_UPSTREAM,
	    SLOT_WORKTREE, SLOT_NR };

static const struct {
	const char *name, *value;
} slots[SLOT_NR] = {
	[SLOT_RESET] = { "reset", COLOR_RESET },  [SLOT_PLAIN] = { "plain", "" },
	[SLOT_REMOTE] = { "remote", "\033[31m" }, [SLOT_LOCAL] = { "local", "" },
	[SLOT_CURRENT] = { "current", "\033[32m" },
	[SLOT_UPSTREAM] = { "upstream", "\033[34m" },
	[SLOT_WORKTREE] = { "worktree", "\033[36m" },
};

struct palette {
	char color[SLOT_NR][COLOR_MAXLEN];
};

static void read_palette(struct palette *p, struct repository *r, bool wanted)
{
	for (int i = 0; i < SLOT_NR; i++) {
		char *key = xstrfmt("color.branch.%s", slots[i].name);
		const struct config_entry *e = config_get(r->config, key);
		char parsed[COLOR_MAXLEN];

		snprintf(p->color[i], COLOR_MAXLEN, "%s", slots[i].value);
		if (e && e->value && color_parse(e->value, parsed) < 0)
			die("invalid color value: %s", e->value);
		if (e && e->value)
			memcpy(p->color[i], parsed, COLOR_MAXLEN);
		if (!wanted)
			p->color[i][0] = '\0';
		free(key);
	}
}

/* ---- a detached HEAD ---- */

static char *describe_head(struct repository *r)
{
	struct status s;
	struct err err = ERR_INIT;
	char *text;

	status_init(&s);
	if (status_collect_state(&s, r, &err) < 0)
		die_err(&err);
	if (s.operations & (OP_REBASE | OP_REBASE_INTERACTIVE))
		text = s.rebase_branch ?
			xstrfmt("(no branch, rebasing %s)", s.rebase_branch) :
			xstrfmt("(no branch, rebasing detached HEAD %s)",
				s.detached_from ? s.detached_from : "");
	else if ((s.operations & OP_BISECT) && s.bisect_branch)
		text = xstrfmt("(no branch, bisect started on %s)", s.bisect_branch);
	else if (s.detached_from)
		text = xstrfmt("(HEAD detached %s %s)", s.detached_at ? "at" : "from",
			       s.detached_from);
	else
		text = xstrdup("(no branch)");
	status_release(&s);
	return text;
}

/* ---- the format ---- */

struct listing {
	struct branch_list_options *o;
	struct palette colors;
	struct reflist *l;
	char *head;	    /* words for a detached one */
	bool all;	    /* "remotes/" in front distinguishes remotes from branches */
	int name_width;
};

static int width_of(const struct listing *x, const struct reflist_item *item)
{
	const char *name = item->refname;

	if (item->kind == REFLIST_DETACHED_HEAD)
		name = x->head;
	if (!skip_prefix(name, "refs/heads/", &name) &&
	    skip_prefix(name, "refs/remotes/", &name) && x->all)
		return utf8_width(name, strlen(name), true) + (int)strlen("remotes/");
	return utf8_width(name, strlen(name), true);
}

static void find_name_width(struct listing *x)
{
	for (size_t i = 0; i < x->l->nr; i++) {
		int w = width_of(x, x->l->items[i]);

		if (w > x->name_width)
			x->name_width = w;
	}
}


static void add_object_name(struct strbuf *f, const struct listing *x)
{
	if (x->o->abbrev < 0)
		strbuf_addstr(f, "%(objectname:short)");
	else if (!x->o->abbrev)
		strbuf_addstr(f, "%(objectname)");
	else
		strbuf_addf(f, "%%(objectname:short=%d)", x->o->abbrev);
}

static void add_local_mark(struct strbuf *f, const struct listing *x)
{
	const struct palette *p = &x->colors;

	strbuf_addf(f, "%%(if)%%(HEAD)%%(then)* %s%%(else)%%(if)%%(worktreepath)%%(then)+ %s"
		    "%%(else)  %s%%(end)%%(end)",
		    p->color[SLOT_CURRENT], p->color[SLOT_WORKTREE], p->color[SLOT_LOCAL]);
}

static void add_local_details(struct strbuf *f, const struct listing *x)
{
	const struct palette *p = &x->colors;
	const char *reset = p->color[SLOT_RESET], *upstream = p->color[SLOT_UPSTREAM];

	strbuf_addf(f, "%%(align:%d,left)%%(refname:lstrip=2)%%(end)%s ", x->name_width, reset);
	add_object_name(f, x);
	strbuf_addch(f, ' ');
	if (x->o->verbose > 1) {
		strbuf_addf(f, "%%(if:notequals=*)%%(HEAD)%%(then)%%(if)%%(worktreepath)%%(then)"
			    "(%s%%(worktreepath)%s) %%(end)%%(end)",
			    p->color[SLOT_WORKTREE], reset);
		strbuf_addf(f, "%%(if)%%(upstream)%%(then)[%s%%(upstream:short)%s"
			    "%%(if)%%(upstream:track)%%(then): %%(upstream:track,nobracket)%%(end)] "
			    "%%(end)", upstream, reset);
	} else {
		strbuf_addstr(f, "%(if)%(upstream:track)%(then)%(upstream:track) %(end)");
	}
	strbuf_addstr(f, "%(contents:subject)");
}

static void add_local(struct strbuf *f, const struct listing *x)
{
	add_local_mark(f, x);
	if (x->o->verbose)
		add_local_details(f, x);
	else
		strbuf_addf(f, "%%(refname:lstrip=2)%s%%(if)%%(symref)%%(then) -> "
			    "%%(symref:short)%%(end)", x->colors.color[SLOT_RESET]);
}

static void add_remote(struct strbuf *f, const struct listing *x)
{
	const char *prefix = x->all ? "remotes/" : "", *reset = x->colors.color[SLOT_RESET];

	strbuf_addf(f, "  %s", x->colors.color[SLOT_REMOTE]);
	if (!x->o->verbose) {
		strbuf_addf(f, "%s%%(refname:lstrip=2)%s%%(if)%%(symref)%%(then) -> "
			    "%%(symref:short)%%(end)", prefix, reset);
		return;
	}
	strbuf_addf(f, "%%(align:%d,left)%s%%(refname:lstrip=2)%%(end)%s"
		    "%%(if)%%(symref)%%(then) -> %%(symref:short)%%(else) ",
		    x->name_width, prefix, reset);
	add_object_name(f, x);
	strbuf_addstr(f, " %(contents:subject)%(end)");
}

static char *usual_format(const struct listing *x)
{
	struct strbuf f = STRBUF_INIT;

	strbuf_addstr(&f, "%(if:notequals=refs/remotes)%(refname:rstrip=-2)%(then)");
	add_local(&f, x);
	strbuf_addstr(&f, "%(else)");
	add_remote(&f, x);
	strbuf_addstr(&f, "%(end)");
	return strbuf_detach(&f, NULL);
}

/* ---- out ---- */

static int collect(struct listing *x, struct err *err)
{
	struct branch_list_options *o = x->o;
	int rc;

	x->l->detached_head_first = true;
	x->l->ignore_case = o->refs->filter.ignore_case = o->ignore_case;
	x->l->color = color_wanted(o->color, STDOUT_FILENO, pager_in_use());
	o->refs->filter.match_short = true;
	o->refs->filter.commits_only = o->verbose;
	if ((o->refs->filter.kinds & REFLIST_DETACHED_HEAD)) {
		x->head = describe_head(x->l->repo);
		x->l->head_description = x->head;
	}
	rc = ref_options_sort(o->refs, x->l, "branch.sort", err);
	/* report a bad format before any search */
	if (!rc && o->format)
		rc = reflist_set_format(x->l, o->format, err);
	if (!rc)
		rc = reflist_collect(x->l, &o->refs->filter, err);
	return rc;
}

static int show_all(struct listing *x, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct strvec items = STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < x->l->nr; i++) {
		strbuf_reset(&text);
		rc = reflist_show(x->l, x->l->items[i], &text, err);
		if (rc || (x->o->omit_empty && !text.len))
			continue;
		if (column_active(x->o->columns)) {
			strvec_push(&items, text.buf);
			continue;
		}
		fwrite(text.buf, 1, text.len, stdout);
		putchar('\n');
	}
	strbuf_reset(&text);
	if (!rc && items.nr) {
		column_print(&text, &items, x->o->columns, NULL);
		fwrite(text.buf, 1, text.len, stdout);
	}
	strvec_clear(&items);
	strbuf_release(&text);
	return rc;
}

int branch_list(struct repository *r, struct branch_list_options *o)
{
	struct listing x = { .o = o, .l = reflist_new(r) };
	struct err err = ERR_INIT;
	char *format = NULL;
	int rc;

	x.all = (o->refs->filter.kinds & REFLIST_HEADS) &&
		(o->refs->filter.kinds & REFLIST_REMOTES);
	rc = collect(&x, &err);
	if (!rc && !o->format) {
		read_palette(&x.colors, r, x.l->color);
		if (o->verbose)
			find_name_width(&x);
		format = usual_format(&x);
		rc = reflist_set_format(x.l, format, &err);
	}
	if (!rc)
		rc = show_all(&x, &err);
	free(format);
	reflist_free(x.l);
	free(x.head);
	return rc < 0 ? report_fatal(&err) : 0;
}
