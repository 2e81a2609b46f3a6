/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/ref-options.h"

void ref_options_release(struct ref_options *o)
{
	reflist_filter_release(&o->filter);
	strvec_clear(&o->sort);
}

/* ---- --contains and the others ---- */

static int add_contained(const struct option *opt, struct oid_array *list, const char *arg)
{
	struct ref_options *o = opt->value;
	struct err err = ERR_INIT;
	int rc = reflist_filter_add_commit(list, o->repo, arg, &err);

	if (!rc)
		return 0;
	error("%s", err_message(&err));
	err_release(&err);
	return rc == ERR_INVALID ? error("no such commit %s", arg) : -1;
}

int on_ref_contains(const struct option *opt, const char *arg, int unset UNUSED)
{
	return add_contained(opt, &((struct ref_options *)opt->value)->filter.contains, arg);
}

int on_ref_no_contains(const struct option *opt, const char *arg, int unset UNUSED)
{
	return add_contained(opt, &((struct ref_options *)opt->value)->filter.no_contains, arg);
}

static int add_merged(const struct option *opt, struct oid_array *list, const char *arg)
{
	struct ref_options *o = opt->value;
	struct err err = ERR_INIT;
	int rc = reflist_filter_add_commit(list, o->repo, arg, &err);

	if (!rc)
		return 0;
	if (rc == ERR_NOT_FOUND)
		die_err(&err);
	if (rc == ERR_INVALID)
		error("%s", err_message(&err));
	err_release(&err);
	return error("option `%s' must point to a commit", opt->long_name);
}

int on_ref_merged(const struct option *opt, const char *arg, int unset UNUSED)
{
	return add_merged(opt, &((struct ref_options *)opt->value)->filter.merged, arg);
}

int on_ref_no_merged(const struct option *opt, const char *arg, int unset UNUSED)
{
	return add_merged(opt, &((struct ref_options *)opt->value)->filter.no_merged, arg);
}

int on_ref_points_at(const struct option *opt, const char *arg, int unset)
{
	struct ref_options *o = opt->value;
	struct err err = ERR_INIT;

	if (unset) {
		oid_array_clear(&o->filter.points_at);
		return 0;
	}
	if (!reflist_filter_add_object(&o->filter.points_at, o->repo, arg, &err))
		return 0;
	error("%s", err_message(&err));
	err_release(&err);
	return -1;
}

/* ---- --sort ---- */

int on_ref_sort(const struct option *opt, const char *arg, int unset)
{
	struct ref_options *o = opt->value;

	if (unset) {
		strvec_clear(&o->sort);
		o->sort_cleared = true;
	} else {
		strvec_push(&o->sort, arg);
	}
	return 0;
}

int ref_options_sort(struct ref_options *o, struct reflist *l, const char *config_key,
		     struct err *err)
{
	const struct config_entry *const *all = NULL;
	size_t nr = 0;
	int rc = 0;

	if (config_key && !o->sort_cleared)
		all = config_get_all(o->repo->config, config_key, &nr);
	for (size_t i = 0; !rc && i < nr; i++)
		if (all[i]->value)
			rc = reflist_sort_by(l, all[i]->value, err);
	for (size_t i = 0; !rc && i < o->sort.nr; i++)
		rc = reflist_sort_by(l, o->sort.v[i], err);
	return rc;
}
