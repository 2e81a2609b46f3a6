/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the commit-graph of a repository, and reading commits from it. */
#include "compat/posix.h"
#include "fs/file.h"
#include "history/commit-graph-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define CHAIN_FILE_MAX ((size_t)1 << 20) /* bytes; a header has room for 255 layers below */

char *graph_path(const char *objdir)
{
	return xstrfmt("%s/info/commit-graph", objdir);
}

char *graph_chain_path(const char *objdir)
{
	return xstrfmt("%s/info/commit-graphs/commit-graph-chain", objdir);
}

char *graph_layer_path(const char *objdir, const struct object_id *checksum)
{
	return xstrfmt("%s/info/commit-graphs/graph-%s.graph", objdir, oid_hex(checksum));
}

void commit_graph_free(struct commit_graph *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr_layers; i++)
		graph_layer_free(g->layers[i]);
	free(g->layers);
	free(g->objdir);
	free(g);
}

/* ---- loading ---- */

struct loader {
	struct repository *repo;
	const char *objdir;
	void (*complain)(void *data, const char *msg);
	void *data;
};

static void complain_err(const struct loader *l, struct err *err)
{
	if (l->complain)
		l->complain(l->data, err_message(err));
	err_release(err);
}

/* A layer names all those below it. */
static int check_bases(const struct commit_graph *g, const struct graph_layer *l, struct err *err)
{
	struct object_id want;

	if (l->nr_bases != g->nr_layers)
		return err_set(err, ERR_CORRUPT, "commit-graph chain does not match");
	for (size_t i = 0; i < g->nr_layers; i++) {
		graph_layer_checksum(g->layers[i], &want);
		if (memcmp(l->bases + i * g->algo->raw_len, want.hash, g->algo->raw_len))
			return err_set(err, ERR_CORRUPT, "commit-graph chain does not match");
	}
	return 0;
}

static int add_layer(struct commit_graph *g, struct graph_layer *l, struct err *err)
{
	if (l->nr > GRAPH_COMMITS_MAX - g->nr)
		return err_set(err, ERR_TOO_BIG, "commit count in base graph too high: %" PRIu64,
			       (uint64_t)g->nr + l->nr);
	l->base = g->nr;
	g->nr += l->nr;
	g->layers = xreallocarray(g->layers, g->nr_layers + 1, sizeof(*g->layers));
	g->layers[g->nr_layers++] = l;
	return 0;
}

/* Corrected dates count only if all layers have them; no level is 0. */
void graph_find_generations(struct commit_graph *g)
{
	g->corrected_dates = g->levels = true;
	for (size_t i = 0; i < g->nr_layers; i++) {
		const struct graph_layer *l = g->layers[i];

		if (!l->nr)
			continue;
		g->corrected_dates &= l->dates != NULL;
		g->levels &= get_be32(graph_layer_commit(l, 0) + g->algo->raw_len + 8) >> 2 != 0;
	}
	g->corrected_dates &= g->levels;
}

/* Filters of a chain are used if they are of the kind that its uppermost layer with filters has. */
static void match_filters(struct repository *r, struct commit_graph *g)
{
	const struct filter_settings *top = NULL;

	for (size_t i = g->nr_layers; i-- > 0;) {
		struct filter_settings *own = &g->layers[i]->filter_settings;
		struct object_id sum;
		char *msg;

		if (!own->version)
			continue;
		if (!top)
			top = own;
		if (own->version == top->version && own->nr_hashes == top->nr_hashes &&
		    own->bits_per_entry == top->bits_per_entry)
			continue;
		own->version = 0;
		graph_layer_checksum(g->layers[i], &sum);
		msg = xstrfmt("disabling Bloom filters for commit-graph layer '%s' due to incompatible settings",
			      oid_hex(&sum));
		if (strset_add(&r->noted, msg) && r->warn)
			r->warn(r->warn_data, msg);
		free(msg);
	}
}

static struct commit_graph *new_graph(const struct loader *l)
{
	struct commit_graph *g;

	CALLOC_ARRAY(g, 1);
	g->algo = l->repo->algo;
	g->objdir = xstrdup(l->objdir);
	return g;
}

static int open_layer(const struct loader *l, struct commit_graph *g, const char *path,
		      struct err *err)
{
	struct graph_layer *layer;
	int rc = graph_layer_open(&layer, path, g->algo, l->complain, l->data, err);

	if (rc < 0)
		return rc;
	rc = check_bases(g, layer, err);
	if (!rc)
		rc = add_layer(g, layer, err);
	if (rc < 0)
		graph_layer_free(layer);
	return rc;
}

/* False: there is no such file. */
static bool load_single(const struct loader *l, struct commit_graph **out)
{
	struct commit_graph *g = new_graph(l);
	struct err err = ERR_INIT;
	char *path = graph_path(l->objdir);
	int rc = open_layer(l, g, path, &err);

	free(path);
	if (rc < 0) {
		commit_graph_free(g);
		if (rc != ERR_NOT_FOUND)
			complain_err(l, &err);
		err_release(&err);
		return rc != ERR_NOT_FOUND;
	}
	*out = g;
	return true;
}

/* The layer may lie in any of the object directories. */
static int open_named_layer(const struct loader *l, struct commit_graph *g,
			    const struct object_id *name, struct err *err)
{
	struct odb *odb = l->repo->odb;
	char *path = graph_layer_path(l->objdir, name);
	int rc = open_layer(l, g, path, err);

	free(path);
	for (size_t i = 0; rc == ERR_NOT_FOUND && i <= odb_nr_alternates(odb); i++) {
		path = graph_layer_path(odb_store_objdir(odb, i), name);
		err_release(err);
		rc = open_layer(l, g, path, err);
		free(path);
	}
	if (rc == ERR_NOT_FOUND)
		err_reword(err, "unable to find all commit-graph files");
	return rc;
}

/* One name per line. What lies below a line that is wrong can be used all the same. */
static int load_layers(const struct loader *l, struct commit_graph *g, char *text, struct err *err)
{
	struct object_id name;
	char *end;
	int rc = 0;

	for (; !rc && *text; text = end) {
		end = strchr(text, '\n');
		if (end)
			*end++ = '\0';
		else
			end = text + strlen(text);
		if (oid_from_hex(&name, text, g->algo))
			rc = err_set(err, ERR_CORRUPT,
				     "invalid commit-graph chain: line '%s' not a hash", text);
		else
			rc = open_named_layer(l, g, &name, err);
	}
	return rc;
}

/* *text is what the chain says; ERR_NOT_FOUND: a layer is not there, or there is no chain (*is_there). */
static int load_chain(const struct loader *l, struct commit_graph **out, struct strbuf *text, bool *is_there,
		      struct err *err)
{
	char *path = graph_chain_path(l->objdir);
	struct commit_graph *g = NULL;
	int rc = read_file(text, path, CHAIN_FILE_MAX, err);

	*is_there = rc != ERR_NOT_FOUND;
	if (!rc && text->len < l->repo->algo->hex_len)
		rc = err_set(err, ERR_CORRUPT, "commit-graph chain file too small");
	if (!rc) {
		char *lines = xstrdup(text->buf);

		g = new_graph(l);
		g->is_chain = true;
		rc = load_layers(l, g, lines, err);
		free(lines);
	}
	if (g && !g->nr_layers) {
		commit_graph_free(g);
		g = NULL;
	}
	if (g)
		*out = g;
	free(path);
	return rc;
}

/* A chain with a layer that is not there is damaged if it says the same after so many more looks. */
#define CHAIN_TRIES 4

void graph_load(struct commit_graph **out, struct repository *r, const char *objdir,
		void (*complain)(void *data, const char *msg), void *data)
{
	const struct loader l = { r, objdir, complain, data };
	struct strbuf text = STRBUF_INIT, before = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool is_there = true;
	int rc = 0, same = 0;

	*out = NULL;
	/*
	 * A writer of a chain removes layers that it does not name: then another chain can be read
	 * by now.
	 */
	for (;;) {
		err_release(&err);
		rc = 0;
		if (load_single(&l, out))
			break;
		rc = load_chain(&l, out, &text, &is_there, &err);
		same = strcmp(text.buf, before.buf) ? 0 : same + 1;
		if (rc != ERR_NOT_FOUND || !is_there || same >= CHAIN_TRIES)
			break;
		commit_graph_free(*out);
		*out = NULL;
		strbuf_swap(&text, &before);
		strbuf_reset(&text);
	}
	if (rc < 0 && is_there)
		complain_err(&l, &err);
	if (*out) {
		graph_find_generations(*out);
		match_filters(r, *out);
	}
	err_release(&err);
	strbuf_release(&before);
	strbuf_release(&text);
}

/* ---- whether it is used ---- */

static void complain_once(void *data, const char *msg)
{
	struct repository *r = data;

	if (strset_add(&r->noted, msg) && r->report_error)
		r->report_error(r->warn_data, msg);
}

bool commit_graph_applies(struct repository *r, const struct grafts *grafts)
{
	return !grafts->by_oid.nr && !repo_has_replacements(r);
}

/* As commitGraph.changedPathsVersion and the older key ask for it. */
static void choose_filters(struct commit_graph *g, const struct config_set *c)
{
	bool read = true;
	int version = -1;

	config_get_bool(c, "commitgraph.readchangedpaths", &read, NULL);
	version = read ? -1 : 0;
	config_get_int(c, "commitgraph.changedpathsversion", &version, NULL);
	for (size_t i = g->nr_layers; version && i-- > 0;) {
		uint32_t has = g->layers[i]->filter_settings.version;

		if (has && (version == -1 || (uint32_t)version == has) && has <= 2) {
			g->filter_version = has;
			return;
		}
	}
}

struct commit_graph *commit_graph_open(struct repository *r, const struct grafts *grafts)
{
	struct commit_graph *g = NULL;
	bool enabled = true;
	int version = 2;

	config_get_bool(r->config, "core.commitgraph", &enabled, NULL);
	if (!enabled || grafts->by_oid.nr)
		return NULL;
	for (size_t i = 0; !g && i <= odb_nr_alternates(r->odb); i++)
		graph_load(&g, r, odb_store_objdir(r->odb, i),
			   complain_once, r);
	if (g && !commit_graph_applies(r, grafts)) {
		commit_graph_free(g);
		return NULL;
	}
	if (!g)
		return NULL;
	config_get_int(r->config, "commitgraph.generationversion", &version, NULL);
	g->corrected_dates &= version == 2;
	choose_filters(g, r->config);
	return g;
}

/* ---- reading ---- */

uint32_t commit_graph_nr(const struct commit_graph *g)
{
	return g->nr;
}

bool commit_graph_has_generations(const struct commit_graph *g)
{
	return g->levels && g->nr;
}

bool commit_graph_has_corrected_dates(const struct commit_graph *g)
{
	return g->corrected_dates && g->nr;
}

bool commit_graph_find(const struct commit_graph *g, const struct object_id *oid, uint32_t *pos)
{
	uint32_t i;

	for (size_t n = g->nr_layers; n-- > 0;)
		if (graph_layer_find(g->layers[n], oid->hash, &i)) {
			*pos = g->layers[n]->base + i;
			return true;
		}
	return false;
}

const struct graph_layer *graph_layer_at(const struct commit_graph *g, uint32_t pos, uint32_t *i)
{
	size_t n = g->nr_layers - 1;

	while (n && pos < g->layers[n]->base)
		n--;
	*i = pos - g->layers[n]->base;
	return g->layers[n];
}

void commit_graph_oid(const struct commit_graph *g, uint32_t pos, struct object_id *out)
{
	uint32_t i;
	const struct graph_layer *l = graph_layer_at(g, pos, &i);

	oid_from_raw(out, graph_layer_name(l, i), g->algo);
}

static int bad_position(struct err *err)
{
	return err_set(err, ERR_CORRUPT,
		       "invalid commit position. commit-graph is likely corrupt");
}

/* The parents from the second on: in the table of parents until the one with the top bit. */
static int read_extra(const struct graph_layer *l, uint32_t first, struct graph_commit *out,
		      struct err *err)
{
	uint64_t at = first, end = (uint64_t)l->base + l->nr;
	uint32_t entry;

	do {
		if (at >= l->nr_parents)
			return err_set(err, ERR_CORRUPT,
				       "commit-graph extra-edges pointer out of bounds");
		entry = get_be32(l->parents + 4 * at++);
		if ((entry & ~GRAPH_MSB) >= end)
			return bad_position(err);
	} while (!(entry & GRAPH_MSB));
	out->extra = l->parents + (size_t)4 * first;
	out->parents[1] = get_be32(out->extra) & ~GRAPH_MSB;
	out->nr_parents = 1 + (uint32_t)(at - first);
	return 0;
}

static int read_parents(const struct graph_layer *l, const unsigned char *p,
			struct graph_commit *out, struct err *err)
{
	uint32_t end = l->base + l->nr, one = get_be32(p), two = get_be32(p + 4);

	out->nr_parents = 0;
	out->extra = NULL;
	if (one == GRAPH_NO_PARENT)
		return 0;
	out->parents[0] = one;
	out->nr_parents = 1;
	if (one >= end)
		return bad_position(err);
	if (two == GRAPH_NO_PARENT)
		return 0;
	if (two & GRAPH_MSB)
		return read_extra(l, two & ~GRAPH_MSB, out, err);
	out->parents[1] = two;
	out->nr_parents = 2;
	return two >= end ? bad_position(err) : 0;
}

static int read_generation(const struct commit_graph *g, const struct graph_layer *l, uint32_t i,
			   struct graph_commit *out, struct err *err)
{
	uint32_t offset;

	if (!g->corrected_dates) {
		out->generation = g->levels ? out->level : GENERATION_INFINITY;
		return 0;
	}
	offset = get_be32(l->dates + (size_t)4 * i);
	if (!(offset & GRAPH_MSB)) {
		out->generation = out->date + offset;
		return 0;
	}
	offset &= ~GRAPH_MSB;
	if (!l->wide_dates)
		return err_set(err, ERR_CORRUPT,
			       "commit-graph requires overflow generation data but has none");
	if (offset >= l->nr_wide_dates)
		return err_set(err, ERR_CORRUPT,
			       "commit-graph overflow generation data is too small");
	out->generation = out->date + get_be64(l->wide_dates + (size_t)8 * offset);
	return 0;
}

int commit_graph_read(const struct commit_graph *g, uint32_t pos, struct graph_commit *out,
		      struct err *err)
{
	struct graph_commit c;
	uint32_t i, word;
	const struct graph_layer *l = graph_layer_at(g, pos, &i);
	const unsigned char *p = graph_layer_commit(l, i);
	int rc;

	c.tree = p;
	p += g->algo->raw_len;
	word = get_be32(p + 8);
	c.level = word >> 2;
	c.date = (timestamp_t)(word & 3) << 32 | get_be32(p + 12);
	rc = read_parents(l, p, &c, err);
	if (!rc)
		rc = read_generation(g, l, i, &c, err);
	if (!rc)
		*out = c;
	return rc;
}

uint32_t graph_commit_parent(const struct graph_commit *c, uint32_t i)
{
	if (i < 2)
		return c->parents[i];
	return get_be32(c->extra + (size_t)4 * (i - 1)) & ~GRAPH_MSB;
}

uint32_t commit_graph_first_parent(const struct commit_graph *g, uint32_t pos)
{
	uint32_t i, parent;
	const struct graph_layer *l = graph_layer_at(g, pos, &i);

	parent = get_be32(graph_layer_commit(l, i) + g->algo->raw_len);
	return parent < l->base + l->nr ? parent : GRAPH_POS_NONE;
}
