/* SPDX-License-Identifier: GPL-2.0-only */
/* Which refs a clone brings, under which names, and what its HEAD will be: git-clone(1). */
#include "compat/posix.h"
#include "porcelain/clone/clone-internal.h"
#include "repo/init.h"
#include "util/alloc.h"

#define HEADS "refs/heads/"
#define TAGS "refs/tags/"

/* ---- what has to be listed ---- */

void clone_add_prefixes(const struct clone *c, struct strvec *out)
{
	const struct clone_options *o = c->o;

	strvec_push(out, "HEAD");
	if (o->mirror && !o->single_branch) {
		strvec_push(out, "refs/");
		return;
	}
	if (o->revision) {
		refname_expansions(o->revision, out);
		return;
	}
	strvec_push(out, HEADS);
	if (!o->no_tags || o->branch)
		strvec_push(out, TAGS);
	/* Those of the configuration; the usual one comes when the server's refs are known. */
	if (c->remote->fetch.nr && !refspec_prefixes(&c->remote->fetch, out))
		strvec_clear(out);
}

/* ---- HEAD there ---- */

static const struct remote_ref *branch_named(const struct clone *c, const char *name, const struct object_id *oid)
{
	char *full = xstrfmt(HEADS "%s", name);
	const struct remote_ref *ref = remote_refs_find(&c->refs, full);

	free(full);
	return ref && oid_eq(&ref->oid, oid) ? ref : NULL;
}

/* The server has not told what HEAD is: a branch that is at the same commit, the usual ones first. */
static const struct remote_ref *guess_branch(const struct clone *c, const struct object_id *oid)
{
	const struct remote_ref *ref = NULL;
	char *name = NULL;

	if (!init_default_branch(c->o->config, &name, NULL, NULL))
		ref = branch_named(c, name, oid);
	free(name);
	if (!ref)
		ref = branch_named(c, "master", oid);
	for (size_t i = 0; !ref && i < c->refs.nr; i++)
		if (starts_with(c->refs.items[i].name, HEADS) && oid_eq(&c->refs.items[i].oid, oid))
			ref = &c->refs.items[i];
	return ref;
}

static void find_branch_there(struct clone *c, const struct remote_ref *head)
{
	const struct remote_ref *guess;

	if (!head)
		return;
	if (head->symref_target && starts_with(head->symref_target, HEADS)) {
		c->branch_there = head->symref_target;
		return;
	}
	guess = oid_is_null(&head->oid) || head->symref_target ? NULL : guess_branch(c, &head->oid);
	if (guess)
		c->branch_there = guess->name;
}

/* ---- HEAD here ---- */

static const struct remote_ref *find_full(const struct clone *c, const char *prefix, const char *name)
{
	char *full = xstrfmt("%s%s", prefix, name);
	const struct remote_ref *ref = remote_refs_find(&c->refs, full);

	free(full);
	return ref && !oid_is_null(&ref->oid) ? ref : NULL;
}

static int choose_revision(struct clone *c, struct err *err)
{
	const char *name = c->o->revision;
	const struct remote_ref *ref = remote_refs_dwim(&c->refs, name);

	c->detached = true;
	if (ref && !oid_is_null(&ref->oid))
		c->head = ref->oid;
	else if (oid_from_hex(&c->head, name, c->algo) < 0)
		return err_set(err, ERR_NOT_FOUND, "Remote revision %s not found in upstream %s", name, c->o->origin);
	return 0;
}

static int choose_branch(struct clone *c, const struct remote_ref **single, struct err *err)
{
	const struct remote_ref *ref = find_full(c, HEADS, c->o->branch);

	if (ref)
		c->branch = ref->name;
	else if ((ref = find_full(c, TAGS, c->o->branch)))
		c->detached = true;
	else
		return err_set(err, ERR_NOT_FOUND, "Remote branch %s not found in upstream %s", c->o->branch,
			       c->o->origin);
	c->head = ref->oid;
	*single = ref;
	return 0;
}

/* The server has not sent its HEAD: take the name of the first branch of a new repository. */
static void use_default_branch(struct clone *c)
{
	char *name = NULL;

	if (!init_default_branch(c->o->config, &name, NULL, NULL))
		c->default_branch = xstrfmt(HEADS "%s", name);
	c->branch = c->default_branch;
	free(name);
}

static void choose_like_there(struct clone *c, const struct remote_ref *head, const struct remote_ref **single)
{
	const struct remote_ref *ref;

	c->branch = c->branch_there;
	if (!head)
		use_default_branch(c);
	/* As Git has it, then no single branch comes. */
	ref = c->branch && (head || !c->o->single_branch) ? find_full(c, "", c->branch) : NULL;
	*single = ref;
	if (ref) {
		c->head = ref->oid;
	} else if (head && !oid_is_null(&head->oid)) {
		c->branch = NULL;
		c->detached = true;
		c->head = head->oid;
	}
}

/* ---- what comes ---- */

static int add_refspec(struct clone *c, struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int add_refspec(struct clone *c, struct err *err, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int rc;

	va_start(ap, fmt);
	text = xvstrfmt(fmt, ap);
	va_end(ap);
	rc = refspec_add(&c->remote->fetch, text, c->algo, err);
	free(text);
	return rc;
}

static int clone_choose_add_single(struct clone *c, const struct remote_ref *single,
				   struct err *err)
{
	const char *name;

	if (!single)
		return 0;
	if (skip_prefix(single->name, HEADS, &name) && !c->bare)
		return add_refspec(c, err, "+%s:refs/remotes/%s/%s", single->name, c->o->origin, name);
	return add_refspec(c, err, "+%s:%s", single->name, single->name);
}

static int add_refspecs(struct clone *c, const struct remote_ref *single, struct err *err)
{
	if (c->o->revision)
		return 0;
	if (c->o->single_branch)
		return clone_choose_add_single(c, single, err);
	if (c->o->mirror)
		return add_refspec(c, err, "+refs/*:refs/*");
	if (c->bare)
		return add_refspec(c, err, "+refs/heads/*:refs/heads/*");
	return add_refspec(c, err, "+refs/heads/*:refs/remotes/%s/*", c->o->origin);
}

/* A copy without the refs that the server cannot read would not be whole. */
static int check_values(const struct fetch_map *map, struct err *err)
{
	for (size_t i = 0; i < map->nr; i++)
		if (map->items[i].dst && oid_is_null(&map->items[i].oid))
			return err_set(err, ERR_CORRUPT, "'%s' has neither a valid OID nor a target", map->items[i].dst);
	return 0;
}

/* Without a refspec nothing has a place; HEAD comes anyway, if there is one. */
static int make_map(struct clone *c, struct err *err)
{
	const struct clone_options *o = c->o;
	int rc;

	c->choice = (struct fetch_choice){
		.remote = c->remote, .given = &c->none,
		.tags = o->no_tags || o->mirror || o->single_branch || o->revision ? REMOTE_TAGS_NONE : REMOTE_TAGS_ALL,
	};
	if (!c->remote->fetch.nr)
		return 0;
	rc = fetch_map_make(&c->map, &c->refs, &c->choice, o->warn, o->data, err);
	return rc < 0 ? rc : check_values(&c->map, err);
}

int clone_choose(struct clone *c, struct err *err)
{
	const struct remote_ref *head = remote_refs_find(&c->refs, "HEAD"), *single = NULL;
	int rc = 0;

	c->head = c->algo->null_oid;
	find_branch_there(c, head);
	if (c->o->revision)
		rc = choose_revision(c, err);
	else if (c->o->branch)
		rc = choose_branch(c, &single, err);
	else
		choose_like_there(c, head, &single);
	if (!rc)
		rc = add_refspecs(c, single, err);
	return rc ? rc : make_map(c, err);
}
