/* SPDX-License-Identifier: GPL-2.0-only */
/* The beginning of a session: the server's capabilities and refs. */
#include "compat/posix.h"
#include "transport/fetch/fetch-internal.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "wire/version.h"

/* ---- capabilities ---- */

const char *session_capability(const struct fetch_session *s, const char *name)
{
	const char *rest;

	for (size_t i = 0; i < s->capabilities.nr; i++)
		if (skip_prefix(s->capabilities.v[i], name, &rest) && (!*rest || *rest == '='))
			return *rest ? rest + 1 : rest;
	return NULL;
}

bool session_capability_has(const struct fetch_session *s, const char *name, const char *word)
{
	const char *at = session_capability(s, name);
	size_t len = strlen(word);

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (!strncmp(at, word, len) && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static int choose_algo(struct fetch_session *s, struct err *err)
{
	const char *name = session_capability(s, "object-format");
	const struct hash_algo *algo = name ? hash_algo_by_name(name) : hash_sha1;

	if (!algo)
		return err_set(err, ERR_UNSUPPORTED, "unknown object format '%s' specified by server", name);
	if (s->o.algo && s->o.algo != algo)
		return err_set(err, ERR_INVALID, "mismatched algorithms: client %s; server %s",
			       s->o.algo->name, algo->name);
	s->algo = algo;
	return 0;
}

static int add_server_capability(struct fetch_session *s, const char *text, struct err *err)
{
	if (s->capabilities.nr >= FETCH_CAPABILITIES_MAX)
		return err_set(err, ERR_TOO_BIG, "the server has too many capabilities");
	strvec_push(&s->capabilities, text);
	return 0;
}

static int read_capabilities_v2(struct fetch_session *s, struct err *err)
{
	const char *line;
	int kind, rc = 0;

	s->version = 2;
	while (!rc && (kind = session_line(s, &line, err)) != PKT_FLUSH) {
		if (kind < 0)
			return kind;
		if (kind != PKT_DATA)
			return err_set(err, ERR_CORRUPT, "expected flush after capabilities");
		rc = add_server_capability(s, line, err);
	}
	if (!rc)
		rc = choose_algo(s, err);
	return rc ? rc : session_take_promisors(s, session_capability(s, "promisor-remote"), err);
}

/* ---- versions 0 and 1: the refs come at once ---- */

static int take_words(struct fetch_session *s, const char *words, struct err *err)
{
	int rc = 0;

	while (*words && !rc) {
		size_t len = strcspn(words, " ");
		char *word = xstrndup(words, len);

		if (len)
			rc = add_server_capability(s, word, err);
		free(word);
		words += len;
		words += *words == ' ';
	}
	return rc ? rc : choose_algo(s, err);
}

static int take_ref_v0(struct fetch_session *s, const char *line, struct err *err)
{
	struct object_id oid;
	const char *name;
	size_t len;

	if (skip_prefix(line, "shallow ", &name)) {
		if (oid_from_hex(&oid, name, s->algo) < 0)
			return err_set(err, ERR_CORRUPT, "protocol error: expected shallow sha-1, got '%s'", name);
		oid_array_append(&s->shallow, &oid);
		return 0;
	}
	if (oid_parse_hex(&oid, line, s->algo, &name) < 0 || *name++ != ' ')
		return err_set(err, ERR_CORRUPT, "protocol error: unexpected '%s'", line);
	len = strlen(name);
	if (len > 3 && !strcmp(name + len - 3, "^{}")) {
		struct remote_ref *last = s->refs.nr ? &s->refs.items[s->refs.nr - 1] : NULL;

		if (last && strlen(last->name) == len - 3 && !strncmp(last->name, name, len - 3))
			last->peeled = oid;
		return 0;
	}
	if (!strcmp(name, ".have"))
		oid_array_append(&s->advertised, &oid);
	else if (remote_ref_name_is_valid(name))
		remote_refs_add(&s->refs, name)->oid = oid;
	return 0;
}

static void take_symrefs(struct fetch_session *s)
{
	const char *rest;

	for (size_t i = 0; i < s->capabilities.nr; i++) {
		const char *colon;

		if (!skip_prefix(s->capabilities.v[i], "symref=", &rest) || !(colon = strchr(rest, ':')) ||
		    !remote_ref_name_is_valid(colon + 1))
			continue;
		for (size_t k = 0; k < s->refs.nr; k++) {
			struct remote_ref *ref = &s->refs.items[k];

			if (strlen(ref->name) != (size_t)(colon - rest) ||
			    strncmp(ref->name, rest, colon - rest) || ref->symref_target)
				continue;
			ref->symref_target = xstrdup(colon + 1);
			break;
		}
	}
}

/* The first line has been read; `line` may be NULL: a server without refs that says nothing. */
static int read_refs_v0(struct fetch_session *s, int kind, const char *line, struct err *err)
{
	bool first = true;
	size_t nr = 0;
	int rc = 0;

	s->algo = s->o.algo ? s->o.algo : hash_sha1;
	for (; !rc && kind == PKT_DATA; first = false) {
		size_t len = strlen(line);

		if (++nr > FETCH_LINES_MAX)
			return err_set(err, ERR_TOO_BIG, "the server advertises too many refs");
		if (first && len < s->in.len)
			rc = take_words(s, line + len + 1, err);
		if (!rc)
			rc = take_ref_v0(s, line, err);
		if (!rc)
			kind = session_line(s, &line, err);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	if (kind != PKT_FLUSH)
		return err_set(err, ERR_CORRUPT, "protocol error: expected flush after refs");
	take_symrefs(s);
	return 0;
}

/* ---- the session ---- */

static int read_greeting(struct fetch_session *s, struct err *err)
{
	struct err why = ERR_INIT;
	const char *line = NULL;
	int kind = session_line(s, &line, &why);

	if (kind == ERR_CORRUPT && !s->in.end)
		err_set(err, ERR_IO, "Could not read from remote repository.\n\n"
			"Please make sure you have the correct access rights\nand the repository exists.");
	else if (kind < 0)
		err_move(err, &why);
	err_release(&why);
	if (kind < 0)
		return kind;
	if (kind == PKT_DATA && !strcmp(line, "version 2"))
		return read_capabilities_v2(s, err);
	if (kind == PKT_DATA && !strcmp(line, "version 1")) {
		s->version = 1;
		kind = session_line(s, &line, err);
	}
	return kind < 0 ? kind : read_refs_v0(s, kind, line, err);
}

static int read_tells_id(struct fetch_session *s, struct err *err)
{
	int rc = s->o.config ? config_get_bool(s->o.config, "transfer.advertisesid", &s->tells_id, err) : 0;

	return rc < 0 ? rc : 0;
}

const char *session_own_id(const struct fetch_session *s)
{
	return s->tells_id && session_capability(s, "session-id") ? trace2_session_id() : NULL;
}

static struct fetch_session *new_session(struct connection *c, const struct fetch_session_options *o)
{
	struct fetch_session *s = xcalloc(1, sizeof(*s));

	s->c = c;
	s->o = *o;
	strvec_init(&s->capabilities);
	strbuf_init(&s->words, 0);
	strbuf_init(&s->promisors, 0);
	pkt_reader_init(&s->in, c ? c->in : -1);
	pkt_writer_init(&s->out, c ? c->out : -1);
	return s;
}

/* NULL: none. */
static const struct strvec *server_options(const struct fetch_session *s)
{
	const struct strvec *asked = s->o.server_options;

	return asked && asked->nr ? asked : s->o.configured_options;
}

static int check_server_options(const struct fetch_session *s, struct err *err)
{
	const struct strvec *options = server_options(s);

	if (!options || !options->nr || session_capability(s, "server-option"))
		return 0;
	if (s->version >= 2)
		return err_set(err, ERR_UNSUPPORTED, "server doesn't support 'server-option'");
	return options == s->o.configured_options ? 0 :
		err_set(err, ERR_UNSUPPORTED, "server options require protocol version 2 or later");
}

int fetch_session_open(struct fetch_session **out, struct connection *c,
		       const struct fetch_session_options *o, struct err *err)
{
	struct fetch_session *s = new_session(c, o);
	const char *server_sid;
	int rc = session_read_words_allowed(s, err);

	session_read_word_colors(s);
	if (!rc)
		rc = read_tells_id(s, err);
	if (!rc)
		rc = c->kind == CONNECTION_HELPER ? session_list_by_helper(s, err) : read_greeting(s, err);
	if (!rc && (server_sid = session_capability(s, "session-id")))
		trace2_data_string("transfer", "server-sid", server_sid);
	if (!rc)
		rc = check_server_options(s, err);
	if (rc < 0)
		return fetch_session_end(s, rc, err);
	*out = s;
	return 0;
}

/* Its refs are those of the header, in the order in which a server would tell them. */
int fetch_session_open_bundle(struct fetch_session **out, int fd, const char *name,
			      const struct fetch_session_options *o, struct err *err)
{
	struct fetch_session *s = new_session(NULL, o);
	const struct bundle_header *h;
	int rc = bundle_source_open(&s->bundle, fd, name, err);

	if (rc < 0)
		return fetch_session_end(s, rc, err);
	h = bundle_source_header(s->bundle);
	s->algo = h->algo;
	if (o->algo && o->algo != h->algo)
		return fetch_session_end(s, err_set(err, ERR_INVALID, "mismatched algorithms: client %s; bundle %s",
						    o->algo->name, h->algo->name), err);
	for (size_t i = 0; i < h->refs.nr; i++)
		if (remote_ref_name_is_valid(h->refs.items[i].name))
			remote_refs_add(&s->refs, h->refs.items[i].name)->oid = h->refs.items[i].oid;
	remote_refs_sort(&s->refs);
	*out = s;
	return 0;
}

const struct bundle_header *fetch_session_bundle(const struct fetch_session *s)
{
	return s->bundle ? bundle_source_header(s->bundle) : NULL;
}

/* Send the end that the protocol needs: the client wants nothing more. */
static void say_goodbye(struct fetch_session *s)
{
	if (s->bundle || s->over || s->c->kind == CONNECTION_STATELESS)
		return;
	if (s->c->kind == CONNECTION_HELPER) {
		session_end_helper(s);
		return;
	}
	pkt_writer_flush(&s->out);
	if (pkt_writer_send(&s->out, NULL) < 0)
		return; /* It has gone already; how it ended is looked at in any case. */
}

int fetch_session_end(struct fetch_session *s, int rc, struct err *err)
{
	if (!s)
		return rc;
	session_tell(s, "", 0, true);
	if (!rc) {
		say_goodbye(s);
		rc = connection_finish(s->c, err);
	} else {
		connection_abort(s->c);
	}
	pkt_reader_release(&s->in);
	pkt_writer_release(&s->out);
	strvec_clear(&s->capabilities);
	remote_refs_release(&s->refs);
	oid_array_clear(&s->shallow);
	oid_array_clear(&s->advertised);
	strbuf_release(&s->words);
	strbuf_release(&s->promisors);
	filter_spec_release(&s->auto_filter);
	bundle_source_free(s->bundle);
	free(s);
	return rc;
}

int fetch_session_version(const struct fetch_session *s)
{
	return s->version;
}

const struct hash_algo *fetch_session_algo(const struct fetch_session *s)
{
	return s->algo;
}

bool fetch_session_can(const struct fetch_session *s, const char *feature)
{
	return session_capability(s, feature) ||
		(s->version == 2 && session_capability_has(s, "fetch", feature));
}

/* ---- version 2: commands ---- */

int session_begin_command(struct fetch_session *s, const char *name, struct err *err)
{
	const struct strvec *options = server_options(s);
	struct strbuf agent = STRBUF_INIT;

	if (!session_capability(s, name))
		return err_set(err, ERR_UNSUPPORTED, "server doesn't support '%s'", name);
	pkt_writer_addf(&s->out, "command=%s", name);
	if (session_capability(s, "agent")) {
		append_agent(&agent);
		pkt_writer_addf(&s->out, "agent=%s", agent.buf);
	}
	if (session_own_id(s))
		pkt_writer_addf(&s->out, "session-id=%s", session_own_id(s));
	if (session_capability(s, "object-format"))
		pkt_writer_addf(&s->out, "object-format=%s", s->algo->name);
	if (s->promisors.len && !strcmp(name, "fetch"))
		pkt_writer_addf(&s->out, "promisor-remote=%s", s->promisors.buf);
	for (size_t i = 0; options && i < options->nr; i++)
		pkt_writer_addf(&s->out, "server-option=%s", options->v[i]);
	pkt_writer_delim(&s->out);
	strbuf_release(&agent);
	return 0;
}

int session_send_request(struct fetch_session *s, struct err *err)
{
	if (s->c->request_end)
		pkt_writer_response_end(&s->out);
	return pkt_writer_send(&s->out, err);
}

int session_end_answer(struct fetch_session *s, struct err *err)
{
	const char *line;
	int kind;

	if (s->bundle || s->c->kind != CONNECTION_STATELESS)
		return 0;
	kind = session_line(s, &line, err);
	if (kind < 0 || kind == PKT_RESPONSE_END)
		return kind < 0 ? kind : 0;
	return err_set(err, ERR_CORRUPT, "expected response end packet");
}

/* "OID NAME [symref-target:X] [peeled:OID]"; the oid may be "unborn". */
static int take_ref_v2(struct fetch_session *s, const char *line, struct remote_refs *out, struct err *err)
{
	struct remote_ref ref = { .name = NULL };
	const char *at = line, *value;
	char *name;

	if (skip_prefix(line, "unborn ", &at))
		ref.oid = s->algo->null_oid;
	else if (oid_parse_hex(&ref.oid, line, s->algo, &at) < 0 || *at++ != ' ')
		return err_set(err, ERR_CORRUPT, "invalid ls-refs response: %s", line);
	name = xstrndup(at, strcspn(at, " "));
	for (at += strlen(name); *at == ' '; at += strcspn(at, " ")) {
		at++;
		if (skip_prefix(at, "symref-target:", &value) && !ref.symref_target)
			ref.symref_target = xstrndup(value, strcspn(value, " "));
		else if (skip_prefix(at, "peeled:", &value) &&
			 (oid_parse_hex(&ref.peeled, value, s->algo, &value) < 0 || (*value && *value != ' '))) {
			free(name);
			free(ref.symref_target);
			return err_set(err, ERR_CORRUPT, "invalid ls-refs response: %s", line);
		}
	}
	if (ref.symref_target && !remote_ref_name_is_valid(ref.symref_target))
		FREE_AND_NULL(ref.symref_target);
	if (remote_ref_name_is_valid(name)) {
		struct remote_ref *to = remote_refs_add(out, name);

		to->oid = ref.oid;
		to->peeled = ref.peeled;
		to->symref_target = ref.symref_target;
	} else {
		free(ref.symref_target);
	}
	free(name);
	return 0;
}

static int list_refs_v2(struct fetch_session *s, const struct strvec *prefixes, struct remote_refs *out,
			struct err *err)
{
	const char *line;
	size_t nr = 0;
	int kind = 0, rc = session_begin_command(s, "ls-refs", err);

	if (rc < 0)
		return rc;
	pkt_writer_addf(&s->out, "peel");
	pkt_writer_addf(&s->out, "symrefs");
	if (session_capability_has(s, "ls-refs", "unborn"))
		pkt_writer_addf(&s->out, "unborn");
	for (size_t i = 0; prefixes && i < prefixes->nr; i++)
		pkt_writer_addf(&s->out, "ref-prefix %s", prefixes->v[i]);
	pkt_writer_flush(&s->out);
	rc = session_send_request(s, err);
	while (!rc && (kind = session_line(s, &line, err)) == PKT_DATA)
		rc = ++nr > FETCH_LINES_MAX
			? err_set(err, ERR_TOO_BIG, "the server advertises too many refs")
			: take_ref_v2(s, line, out, err);
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	if (kind != PKT_FLUSH)
		return err_set(err, ERR_CORRUPT, "expected flush after ref listing");
	return session_end_answer(s, err);
}

static void copy_ref(struct remote_refs *out, const struct remote_ref *from)
{
	struct remote_ref *to = remote_refs_add(out, from->name);

	to->oid = from->oid;
	to->peeled = from->peeled;
	to->symref_target = from->symref_target ? xstrdup(from->symref_target) : NULL;
	to->unknown = from->unknown;
}

int fetch_session_refs(struct fetch_session *s, const struct strvec *prefixes, struct remote_refs *out,
		       struct err *err)
{
	struct remote_refs list = REMOTE_REFS_INIT;
	int rc = 0;

	if (s->version == 2)
		rc = list_refs_v2(s, prefixes, &list, err);
	else
		for (size_t i = 0; i < s->refs.nr; i++)
			copy_ref(&list, &s->refs.items[i]);
	if (rc < 0) {
		remote_refs_release(&list);
		return rc;
	}
	for (size_t i = 0; i < list.nr; i++)
		oid_array_append(&s->advertised, &list.items[i].oid);
	*out = list;
	return 0;
}

int fetch_session_bundle_uri(struct fetch_session *s, struct strvec *out, struct err *err)
{
	const char *line;
	size_t nr = 0;
	int kind = 0, rc = session_begin_command(s, "bundle-uri", err);

	if (rc < 0)
		return rc;
	pkt_writer_flush(&s->out);
	rc = session_send_request(s, err);
	while (!rc && (kind = session_line(s, &line, err)) == PKT_DATA) {
		if (++nr > FETCH_CAPABILITIES_MAX * 10)
			return err_set(err, ERR_TOO_BIG, "the server's list of bundles is too long");
		if (!strchr(line, '='))
			return err_set(err, ERR_CORRUPT, "error on bundle-uri response line %zu: %s", nr, line);
		strvec_push(out, line);
	}
	if (rc < 0 || kind < 0)
		return rc < 0 ? rc : kind;
	if (kind != PKT_FLUSH)
		return err_set(err, ERR_CORRUPT, "expected flush after bundle-uri listing");
	return session_end_answer(s, err);
}

bool fetch_wanted_deepens(const struct fetch_wanted *w)
{
	return w->depth || w->deepen_since || (w->deepen_not && w->deepen_not->nr);
}
