/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs as a remote helper lists them: gitremote-helpers(7), command "list". */
#include "compat/posix.h"
#include "refs/refs.h"
#include "transport/helper-internal.h"
#include "util/alloc.h"

#define SYMREF_DEPTH 5

/* Take a keyword. Unknown ones are ignored. */
static int take_keyword(struct helper_list *list, const char *text, struct err *err)
{
	const struct hash_algo *algo;
	const char *name;

	if (!skip_prefix(text, "object-format ", &name))
		return 0;
	algo = hash_algo_by_name(name);
	if (!algo)
		return err_set(err, ERR_UNSUPPORTED, "unsupported object format '%s'", name);
	list->algo = algo;
	return 0;
}

/* "refs/tags/x^{}" is no ref, but the peeled value of the ref before it. */
static bool take_peeled(struct helper_list *list, const char *name, const struct object_id *oid)
{
	struct remote_ref *last = list->refs.nr ? &list->refs.items[list->refs.nr - 1] : NULL;
	size_t len = strlen(name);

	if (!ends_with(name, "^{}"))
		return false;
	if (last && strlen(last->name) == len - 3 && !strncmp(last->name, name, len - 3))
		last->peeled = *oid;
	return true;
}

/* Attributes stand behind the name. "unchanged" is a word about the last import; nothing rests on it here. */
static int take_ref(struct helper_list *list, const char *value, const char *name, struct err *err)
{
	struct object_id oid = list->algo->null_oid;
	bool symbolic = *value == '@', unknown = !strcmp(value, "?");
	struct remote_ref *ref;

	if (!symbolic && !unknown && oid_from_hex(&oid, value, list->algo) < 0)
		return err_set(err, ERR_CORRUPT, "malformed response in ref list: %s %s", value, name);
	/* A name that could harm is not taken up. */
	if (take_peeled(list, name, &oid) || !remote_ref_name_is_valid(name) ||
	    (symbolic && !remote_ref_name_is_valid(value + 1)))
		return 0;
	ref = remote_refs_add(&list->refs, name);
	ref->oid = oid;
	ref->unknown = unknown;
	if (symbolic)
		ref->symref_target = xstrdup(value + 1);
	return 0;
}

int helper_list_take(struct helper_list *list, const char *line, struct err *err)
{
	size_t len = strcspn(line, " ");
	char *value, *name;
	int rc;

	if (*line == ':')
		return take_keyword(list, line + 1, err);
	if (!len || !line[len])
		return err_set(err, ERR_CORRUPT, "malformed response in ref list: %s", line);
	value = xstrndup(line, len);
	name = xstrndup(line + len + 1, strcspn(line + len + 1, " "));
	rc = take_ref(list, value, name, err);
	free(value);
	free(name);
	return rc;
}

/* From one to the next; what leads nowhere has no value, as an unborn HEAD. */
static const struct remote_ref *follow(const struct remote_refs *refs, const struct remote_ref *ref)
{
	for (unsigned depth = 0; ref && ref->symref_target; depth++)
		ref = depth < SYMREF_DEPTH ? remote_refs_find(refs, ref->symref_target) : NULL;
	return ref;
}

void helper_list_end(struct helper_list *list)
{
	for (size_t i = 0; i < list->refs.nr; i++) {
		struct remote_ref *ref = &list->refs.items[i];
		const struct remote_ref *leads_to = ref->symref_target ? follow(&list->refs, ref) : NULL;

		if (leads_to) {
			ref->oid = leads_to->oid;
			ref->peeled = leads_to->peeled;
			ref->unknown = leads_to->unknown;
		}
	}
}
