/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/remotes.h"
#include "util/alloc.h"
#include "util/map.h"

/* One "url.<base>.insteadOf = <prefix>". */
struct rewrite {
	const char *prefix; /* of the configuration */
	char *base;
	bool push;
};

struct remotes {
	const struct hash_algo *algo;
	char *commondir; /* NULL: there is no repository */
	char *default_branch; /* init.defaultBranch */
	struct remote **list; /* those of the configuration first */
	size_t nr, nr_configured, alloc;
	struct strmap names;
	struct rewrite *rewrites;
	size_t nr_rewrites, alloc_rewrites;
	repo_warn_fn warn;
	void *warn_data;
};

static void tell(const struct remotes *rs, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void tell(const struct remotes *rs, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(rs->warn, rs->warn_data, fmt, ap);
	va_end(ap);
}

/* ---- one remote ---- */

static struct remote *add(struct remotes *rs, const char *name, enum remote_origin origin)
{
	struct remote *m = xcalloc(1, sizeof(*m));

	m->name = xstrdup(name);
	m->origin = origin;
	m->prune = m->prune_tags = -1;
	m->fetch = (struct refspec)REFSPEC_INIT(REFSPEC_FETCH);
	m->push = (struct refspec)REFSPEC_INIT(REFSPEC_PUSH);
	strvec_init(&m->raw_urls);
	strvec_init(&m->raw_push_urls);
	strvec_init(&m->urls);
	strvec_init(&m->push_urls);
	strvec_init(&m->server_options);
	strvec_init(&m->negotiation_restrict);
	strvec_init(&m->negotiation_include);
	ALLOC_GROW(rs->list, rs->nr + 1, rs->alloc);
	rs->list[rs->nr++] = m;
	strmap_put(&rs->names, name, m);
	return m;
}

static void remote_free(struct remote *m)
{
	refspec_release(&m->fetch);
	refspec_release(&m->push);
	strvec_clear(&m->raw_urls);
	strvec_clear(&m->raw_push_urls);
	strvec_clear(&m->urls);
	strvec_clear(&m->push_urls);
	strvec_clear(&m->server_options);
	strvec_clear(&m->negotiation_restrict);
	strvec_clear(&m->negotiation_include);
	free(m->proxy);
	free(m->proxy_auth);
	free(m->upload_pack);
	free(m->receive_pack);
	free(m->vcs);
	free(m->filter);
	free(m->follow_head_branch);
	free(m->name);
	free(m);
}

/* ---- rewriting of URLs ---- */

/* The rule with the longest prefix; NULL: none fits, and the URL is meant as it is. */
static char *rewrite(const struct remotes *rs, const char *url, bool push)
{
	const struct rewrite *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < rs->nr_rewrites; i++) {
		const struct rewrite *w = &rs->rewrites[i];
		size_t len = strlen(w->prefix);

		if (w->push == push && starts_with(url, w->prefix) && (!best || len > best_len)) {
			best = w;
			best_len = len;
		}
	}
	return best ? xconcat(best->base, url + best_len) : NULL;
}

char *remotes_rewrite_url(const struct remotes *rs, const char *url, bool push)
{
	char *new = push ? rewrite(rs, url, true) : NULL;

	if (!new)
		new = rewrite(rs, url, false);
	return new ? new : xstrdup(url);
}

static void push_rewritten(struct remotes *rs, struct strvec *out, const char *url)
{
	char *new = remotes_rewrite_url(rs, url, false);

	strvec_push(out, new);
	free(new);
}

static void complete_urls(struct remotes *rs, struct remote *m)
{
	for (size_t i = 0; i < m->raw_urls.nr; i++)
		push_rewritten(rs, &m->urls, m->raw_urls.v[i]);
	for (size_t i = 0; i < m->raw_push_urls.nr; i++)
		push_rewritten(rs, &m->push_urls, m->raw_push_urls.v[i]);
	/* pushInsteadOf has a say only where no pushurl does; if it has, other URLs are not pushed to. */
	for (size_t i = 0; !m->raw_push_urls.nr && i < m->raw_urls.nr; i++) {
		char *new = rewrite(rs, m->raw_urls.v[i], true);

		if (new)
			strvec_push(&m->push_urls, new);
		free(new);
	}
	if (!m->push_urls.nr)
		strvec_pushv(&m->push_urls, m->urls.v);
}

static int read_rewrite(struct remotes *rs, const struct config_entry *e, const char *rest, struct err *err)
{
	bool push;
	size_t len;

	if (strip_suffix(rest, ".insteadof", &len))
		push = false;
	else if (strip_suffix(rest, ".pushinsteadof", &len))
		push = true;
	else
		return 0;
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	ALLOC_GROW(rs->rewrites, rs->nr_rewrites + 1, rs->alloc_rewrites);
	rs->rewrites[rs->nr_rewrites++] = (struct rewrite){ e->value, xstrndup(rest, len), push };
	return 0;
}

/* ---- the keys of a remote ---- */

/* An empty value drops those before it. */
static void push_or_reset(struct strvec *list, const char *value)
{
	if (*value)
		strvec_push(list, value);
	else
		strvec_clear(list);
}

static void read_tag_option(struct remote *m, const char *value)
{
	if (!strcmp(value, "--no-tags"))
		m->tags = REMOTE_TAGS_NONE;
	else if (!strcmp(value, "--tags"))
		m->tags = REMOTE_TAGS_ALL;
}

static void read_follow_head(struct remotes *rs, struct remote *m, const char *value)
{
	static const struct {
		const char *word;
		enum remote_follow_head is;
	} words[] = {
		{ "create", FOLLOW_HEAD_CREATE }, { "warn", FOLLOW_HEAD_WARN },
		{ "always", FOLLOW_HEAD_ALWAYS }, { "never", FOLLOW_HEAD_NEVER },
	};
	const char *branch;

	FREE_AND_NULL(m->follow_head_branch);
	if (skip_prefix(value, "warn-if-not-", &branch)) {
		m->follow_head = FOLLOW_HEAD_WARN_IF_NOT;
		m->follow_head_branch = xstrdup(branch);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(value, words[i].word)) {
			m->follow_head = words[i].is;
			return;
		}
	tell(rs, "unrecognized followRemoteHEAD value '%s' ignored", value);
}

static int remotes_read_bool(const struct config_entry *e, int *out, struct err *err)
{
	bool value;
	int rc = config_entry_bool(e, &value, err);

	if (!rc)
		*out = value;
	return rc;
}

static int read_flag(struct remote *m, const struct config_entry *e, const char *key, bool *is_one, struct err *err)
{
	const struct {
		const char *key;
		bool *to;
	} flags[] = {
		{ "mirror", &m->mirror },
		{ "skipdefaultupdate", &m->skip_default_update },
		{ "skipfetchall", &m->skip_default_update },
		{ "promisor", &m->promisor },
	};

	*is_one = true;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(key, flags[i].key))
			return config_entry_bool(e, flags[i].to, err);
	if (!strcmp(key, "prune"))
		return remotes_read_bool(e, &m->prune, err);
	if (!strcmp(key, "prunetags"))
		return remotes_read_bool(e, &m->prune_tags, err);
	*is_one = false;
	return 0;
}

/* Keys of which the first value counts, or (`last`) the last one. */
static bool read_text(struct remotes *rs, struct remote *m, const char *key, const char *value)
{
	const struct {
		const char *key;
		char **to;
		bool last;
	} texts[] = {
		{ "uploadpack", &m->upload_pack, false }, { "receivepack", &m->receive_pack, false },
		{ "proxy", &m->proxy, true },		  { "proxyauthmethod", &m->proxy_auth, true },
		{ "vcs", &m->vcs, true },		  { "partialclonefilter", &m->filter, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (strcmp(key, texts[i].key))
			continue;
		if (*texts[i].to && !texts[i].last) {
			tell(rs, "more than one %s given, using the first", key);
		} else {
			free(*texts[i].to);
			*texts[i].to = xstrdup(value);
		}
		return true;
	}
	return false;
}

static bool is_value_key(const char *key)
{
	static const char *const keys[] = {
		"url", "pushurl", "fetch", "push", "tagopt", "uploadpack", "receivepack", "proxy",
		"proxyauthmethod", "vcs", "partialclonefilter", "followremotehead", "serveroption",
		"negotiationrestrict", "negotiationinclude",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static int read_key(struct remotes *rs, struct remote *m, const struct config_entry *e, const char *key,
		    struct err *err)
{
	bool is_flag;
	int rc = read_flag(m, e, key, &is_flag, err);

	if (is_flag || !is_value_key(key))
		return rc;
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (!strcmp(key, "url"))
		push_or_reset(&m->raw_urls, e->value);
	else if (!strcmp(key, "pushurl"))
		push_or_reset(&m->raw_push_urls, e->value);
	else if (!strcmp(key, "serveroption"))
		push_or_reset(&m->server_options, e->value);
	else if (!strcmp(key, "negotiationrestrict"))
		push_or_reset(&m->negotiation_restrict, e->value);
	else if (!strcmp(key, "negotiationinclude"))
		push_or_reset(&m->negotiation_include, e->value);
	else if (!strcmp(key, "fetch"))
		return refspec_add(&m->fetch, e->value, rs->algo, err);
	else if (!strcmp(key, "push"))
		return refspec_add(&m->push, e->value, rs->algo, err);
	else if (!strcmp(key, "tagopt"))
		read_tag_option(m, e->value);
	else if (!strcmp(key, "followremotehead"))
		read_follow_head(rs, m, e->value);
	else
		read_text(rs, m, key, e->value);
	return 0;
}

/* "branch..remote": no branch has an empty name. */
static int check_branch_key(const struct config_entry *e, const char *rest, struct err *err)
{
	const char *key = strrchr(rest, '.');
	static const char *const texts[] = { "remote", "merge", "pushremote" };

	if (!key)
		return 0;
	if (key == rest)
		return config_entry_bad(e, err, "missing branch name");
	for (size_t i = 0; !e->value && i < ARRAY_SIZE(texts); i++)
		if (!strcmp(key + 1, texts[i]))
			return config_entry_bad(e, err, "missing value");
	return 0;
}

static int read_remote(struct remotes *rs, const struct config_entry *e, const char *rest, struct err *err)
{
	const char *dot = strrchr(rest, '.');
	struct remote *m;
	char *name;

	if (!dot) /* remote.pushDefault */
		return !strcmp(rest, "pushdefault") && !e->value ? config_entry_bad(e, err, "missing value") : 0;
	if (*rest == '/') {
		tell(rs, "config remote shorthand cannot begin with '/': %s", rest);
		return 0;
	}
	name = xstrndup(rest, dot - rest);
	m = strmap_get(&rs->names, name);
	if (!m)
		m = add(rs, name, REMOTE_CONFIG);
	free(name);
	return read_key(rs, m, e, dot + 1, err);
}

int remotes_read(struct remotes **out, const struct config_set *c, const struct hash_algo *algo,
		 repo_warn_fn warn, void *warn_data, struct err *err)
{
	struct remotes *rs = xcalloc(1, sizeof(*rs));
	int rc = 0;

	rs->algo = algo;
	rs->warn = warn;
	rs->warn_data = warn_data;
	strmap_init(&rs->names);
	for (size_t i = 0; i < config_nr(c) && !rc; i++) {
		const struct config_entry *e = config_at(c, i);
		const char *rest;

		if (skip_prefix(e->key, "remote.", &rest))
			rc = read_remote(rs, e, rest, err);
		else if (skip_prefix(e->key, "url.", &rest))
			rc = read_rewrite(rs, e, rest, err);
		else if (skip_prefix(e->key, "branch.", &rest))
			rc = check_branch_key(e, rest, err);
	}
	rs->nr_configured = rs->nr;
	for (size_t i = 0; i < rs->nr && !rc; i++)
		complete_urls(rs, rs->list[i]);
	if (rc)
		remotes_free(rs);
	else
		*out = rs;
	return rc;
}

static int read_default_branch(struct remotes *rs, const struct config_set *c, struct err *err)
{
	const char *name = "master";
	int rc = config_get_string(c, "init.defaultbranch", &name, err);

	rs->default_branch = xstrdup(name);
	return rc < 0 ? rc : 0;
}

int repo_remotes(struct repository *r, struct remotes **out, struct err *err)
{
	int rc = 0;

	if (!r->remotes) {
		rc = remotes_read(&r->remotes, r->config, r->algo, r->warn, r->warn_data, err);
		if (!rc)
			r->remotes->commondir = xstrdup(r->commondir);
		if (!rc)
			rc = read_default_branch(r->remotes, r->config, err);
	}
	if (!rc)
		*out = r->remotes;
	return rc;
}

void remotes_free(struct remotes *rs)
{
	if (!rs)
		return;
	for (size_t i = 0; i < rs->nr; i++)
		remote_free(rs->list[i]);
	for (size_t i = 0; i < rs->nr_rewrites; i++)
		free(rs->rewrites[i].base);
	strmap_clear(&rs->names, NULL);
	free(rs->rewrites);
	free(rs->list);
	free(rs->commondir);
	free(rs->default_branch);
	free(rs);
}

/* ---- files of old repositories ---- */

/* A name that may be that of a file in remotes/ or branches/. */
static bool is_nick(const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '/');
}

static FILE *open_old(const struct remotes *rs, const char *dir, const char *name)
{
	char *path = xstrfmt("%s/%s/%s", rs->commondir, dir, name);
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	free(path);
	if (f)
		tell(rs, "reading remote from \"%s/%s\", which is nominated for removal.\n\n"
			 "If you still use the \"%s/\" directory it is recommended to\n"
			 "migrate to config-based remotes:\n\n\tgit remote rename %s %s\n",
		     dir, name, dir, name, name);
	return f;
}

static int read_remotes_file(struct remotes *rs, const char *name, struct remote **out, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	FILE *f = open_old(rs, "remotes", name);
	struct remote *m;
	int rc = 0;

	if (!f)
		return 0;
	m = add(rs, name, REMOTE_REMOTES_FILE);
	while (!rc && strbuf_getline(&line, f) >= 0) {
		const char *rest;

		strbuf_rtrim(&line);
		if (skip_prefix(line.buf, "URL:", &rest))
			strvec_push(&m->raw_urls, rest + strspn(rest, " \t"));
		else if (skip_prefix(line.buf, "Push:", &rest))
			rc = refspec_add(&m->push, rest + strspn(rest, " \t"), rs->algo, err);
		else if (skip_prefix(line.buf, "Pull:", &rest))
			rc = refspec_add(&m->fetch, rest + strspn(rest, " \t"), rs->algo, err);
	}
	fclose(f);
	strbuf_release(&line);
	*out = m;
	return rc;
}

/* "URL#HEAD": that branch, or the one that a new repository would have, there becomes the branch here that is called like the file. */
static int read_branches_file(struct remotes *rs, const char *name, struct remote **out, struct err *err)
{
	struct strbuf line = STRBUF_INIT, spec = STRBUF_INIT;
	FILE *f = open_old(rs, "branches", name);
	const char *head = rs->default_branch;
	int rc = 0, got;
	char *hash;

	if (!f)
		return 0;
	got = strbuf_getline(&line, f);
	fclose(f);
	strbuf_trim(&line);
	if (got >= 0 && line.len) {
		*out = add(rs, name, REMOTE_BRANCHES_FILE);
		hash = strchr(line.buf, '#');
		if (hash) {
			*hash = '\0';
			head = hash + 1;
		}
		strvec_push(&(*out)->raw_urls, line.buf);
		strbuf_addf(&spec, "refs/heads/%s:refs/heads/%s", head, name);
		rc = refspec_add(&(*out)->fetch, spec.buf, rs->algo, err);
		strbuf_reset(&spec);
		strbuf_addf(&spec, "HEAD:refs/heads/%s", head);
		if (!rc)
			rc = refspec_add(&(*out)->push, spec.buf, rs->algo, err);
		(*out)->tags = REMOTE_TAGS_DEFAULT;
	}
	strbuf_release(&spec);
	strbuf_release(&line);
	return rc;
}

/* ---- lookup ---- */

size_t remotes_nr(const struct remotes *rs)
{
	return rs->nr_configured;
}

struct remote *remotes_at(struct remotes *rs, size_t i)
{
	return rs->list[i];
}

struct remote *remotes_find(struct remotes *rs, const char *name)
{
	struct remote *m = strmap_get(&rs->names, name);

	return m && m->origin == REMOTE_CONFIG ? m : NULL;
}

const char *remotes_default(const struct remotes *rs)
{
	return rs->nr_configured == 1 ? rs->list[0]->name : "origin";
}

int remotes_get(struct remotes *rs, const char *name, struct remote **out, struct err *err)
{
	bool given = name && *name;
	struct remote *m;
	int rc = 0;

	if (!name)
		name = remotes_default(rs);
	m = strmap_get(&rs->names, name);
	if (!m && rs->commondir && is_nick(name)) {
		rc = read_remotes_file(rs, name, &m, err);
		if (!rc && !m)
			rc = read_branches_file(rs, name, &m, err);
	}
	if (rc)
		return rc;
	if (!m)
		m = add(rs, name, REMOTE_UNCONFIGURED);
	/* A remote that says nothing of where it is, is where its name says, if the user has named it. */
	if (!m->urls.nr) {
		if (given && !m->raw_urls.nr)
			strvec_push(&m->raw_urls, name);
		complete_urls(rs, m);
	}
	*out = m;
	return 0;
}

/* branch.<current>.remote; NULL: it does not say, or HEAD is detached. */
static const char *current_remote(struct repository *r)
{
	const struct config_entry *e = NULL;
	const char *branch;
	struct object_id oid;
	char *target = NULL, *key;

	if (!ref_read_raw(r->refs, "HEAD", &oid, &target, NULL) && target &&
	    skip_prefix(target, "refs/heads/", &branch)) {
		key = xstrfmt("branch.%s.remote", branch);
		e = config_get(r->config, key);
		free(key);
	}
	free(target);
	return e ? e->value : NULL;
}

int repo_remote(struct repository *r, const char *name, struct remote **out, struct err *err)
{
	struct remotes *rs;
	int rc = repo_remotes(r, &rs, err);

	return rc ? rc : remotes_get(rs, name ? name : current_remote(r), out, err);
}

bool remote_name_is_valid(const char *name)
{
	char *ref = xstrfmt("refs/remotes/%s/test", name);
	bool valid = *name && refname_is_valid(ref, 0);

	free(ref);
	return valid;
}
