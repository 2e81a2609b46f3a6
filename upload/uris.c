/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packfile-uris: blobs that the client fetches from elsewhere, as packs by themselves, instead of getting
 * them in the pack (gitprotocol-v2(5)). The host names them:
 *
 *	uploadpack.blobPackfileUri = <object-hash> <pack-hash> <uri>
 */
#include "compat/posix.h"
#include "upload/upload.h"
#include "util/alloc.h"

static const char key[] = "uploadpack.blobpackfileuri";

struct packfile_uri {
	char *line; /* what the client is told: hash of the pack, blank, URI */
	bool used;
};

struct upload_uris {
	struct oidmap by_blob; /* to struct packfile_uri */
	size_t nr_used;
};

bool upload_has_uris(const struct upload_server *s)
{
	return config_get(s->repo->config, key) != NULL;
}

static void free_uri(void *data)
{
	struct packfile_uri *u = data;

	free(u->line);
	free(u);
}

void upload_uris_free(struct upload_uris *u)
{
	if (!u)
		return;
	oidmap_clear(&u->by_blob, free_uri);
	free(u);
}

/* Is the scheme of the URI in the list that the client sent, "http,https"? */
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

static int add_value(struct upload_uris *u, const char *value, const char *protocols,
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
	if (!is_accepted(end + 1, protocols))
		return 0;
	CALLOC_ARRAY(uri, 1);
	uri->line = xstrdup(hash);
	oidmap_put(&u->by_blob, &blob, uri);
	return 0;
}

int upload_uris_read(struct upload_uris **out, const struct upload_server *s, const char *protocols,
		     struct err *err)
{
	const struct config_entry *const *v;
	struct upload_uris *u;
	size_t nr = 0;
	int rc = 0;

	CALLOC_ARRAY(u, 1);
	v = config_get_all(s->repo->config, key, &nr);
	for (size_t i = 0; i < nr && !rc; i++)
		rc = add_value(u, v[i]->value, protocols, s->repo->algo, err);
	if (rc < 0)
		upload_uris_free(u);
	else
		*out = u;
	return rc;
}

bool upload_uris_take(struct upload_uris *u, const struct object_id *blob)
{
	struct packfile_uri *uri = u ? oidmap_get(&u->by_blob, blob) : NULL;

	if (!uri)
		return false;
	u->nr_used += !uri->used;
	uri->used = true;
	return true;
}

void upload_uris_print(const struct upload_uris *u, struct pkt_writer *out)
{
	struct string_list lines = STRING_LIST_INIT;
	const struct object_id *blob;
	void *value;

	if (!u || !u->nr_used)
		return;
	for (size_t i = 0; oidmap_next(&u->by_blob, &i, &blob, &value);) {
		const struct packfile_uri *uri = value;

		if (uri->used)
			string_list_append(&lines, uri->line);
	}
	string_list_sort(&lines);
	string_list_remove_duplicates(&lines, NULL); /* several blobs of one pack */
	pkt_writer_addf(out, "packfile-uris\n");
	for (size_t i = 0; i < lines.nr; i++)
		pkt_writer_addf(out, "%s\n", lines.items[i].string);
	pkt_writer_delim(out);
	string_list_clear(&lines, NULL);
}
