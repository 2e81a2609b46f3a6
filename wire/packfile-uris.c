/* SPDX-License-Identifier: GPL-2.0-only */
/* See packfile-uris.h. */
#include "compat/posix.h"
#include "wire/packfile-uris.h"
#include "util/alloc.h"

static const char key[] = "uploadpack.blobpackfileuri";

struct packfile_uri {
	char *line; /* the line for the client: hash of the pack, blank, URI */
	bool accepted, taken;
};

struct packfile_uris {
	struct oidmap by_blob; /* to struct packfile_uri */
};

bool packfile_uris_exist(const struct config_set *c)
{
	return config_get(c, key) != NULL;
}

static void free_uri(void *data)
{
	struct packfile_uri *u = data;

	free(u->line);
	free(u);
}

void packfile_uris_free(struct packfile_uris *u)
{
	if (!u)
		return;
	oidmap_clear(&u->by_blob, free_uri);
	free(u);
}

/* Is the scheme of the URI in the list "http,https"? */
static bool is_accepted(const char *uri, const char *protocols)
{
	size_t len = strcspn(uri, ":");

	for (const char *p = protocols; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");

		if (n == len && uri[len] && !strncmp(p, uri, len))
			return true;
		p += n;
	}
	return false;
}

static int bad_value(const char *value, struct err *err)
{
	return err_set(err, ERR_INVALID, "value of uploadpack.blobpackfileuri must be of the form "
		       "'<object-hash> <pack-hash> <uri>' (got '%s')", value ? value : "");
}

static int add_value(struct packfile_uris *u, const char *value, const char *protocols,
		     const struct hash_algo *algo, struct err *err)
{
	struct object_id blob, pack;
	struct packfile_uri *uri;
	const char *hash, *end;

	if (!value || oid_parse_hex(&blob, value, algo, &hash) < 0 || *hash++ != ' ' ||
	    oid_parse_hex(&pack, hash, algo, &end) < 0 || *end != ' ' || !end[1])
		return bad_value(value, err);
	if (oidmap_contains(&u->by_blob, &blob))
		return err_set(err, ERR_INVALID, "object already configured in another "
			       "uploadpack.blobpackfileuri (got '%s')", value);
	CALLOC_ARRAY(uri, 1);
	uri->line = xstrdup(hash);
	uri->accepted = is_accepted(end + 1, protocols);
	oidmap_put(&u->by_blob, &blob, uri);
	return 0;
}

int packfile_uris_read(struct packfile_uris **out, const struct config_set *c, const char *protocols,
		       const struct hash_algo *algo, struct err *err)
{
	const struct config_entry *const *v;
	struct packfile_uris *u;
	size_t nr = 0;
	int rc = 0;

	CALLOC_ARRAY(u, 1);
	v = config_get_all(c, key, &nr);
	for (size_t i = 0; i < nr && !rc; i++)
		rc = add_value(u, v[i]->value, protocols, algo, err);
	if (rc < 0)
		packfile_uris_free(u);
	else
		*out = u;
	return rc;
}

bool packfile_uris_take(struct packfile_uris *u, const struct object_id *blob)
{
	struct packfile_uri *uri = u ? oidmap_get(&u->by_blob, blob) : NULL;

	if (!uri || !uri->accepted)
		return false;
	uri->taken = true;
	return true;
}

void packfile_uris_taken(const struct packfile_uris *u, struct string_list *out)
{
	const struct object_id *blob;
	void *value;

	for (size_t i = 0; u && oidmap_next(&u->by_blob, &i, &blob, &value);) {
		const struct packfile_uri *uri = value;

		if (uri->taken)
			string_list_append(out, uri->line);
	}
	string_list_sort(out);
	string_list_remove_duplicates(out, NULL); /* several blobs of one pack */
}
