/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fetch/fetch-common.h"
#include "write-or-die.h"

int client_protocol_version(const struct config_set *c, int *out, struct err *err)
{
	const char *value = "2";
	int rc = config_get_string(c, "protocol.version", &value, err);

	const char *test = getenv("GIT_TEST_PROTOCOL_VERSION"); /* for test suites: in place of the default */
	bool is_test = test && *test && !config_get(c, "protocol.version");

	if (rc < 0)
		return rc;
	if (is_test)
		value = test;
	if (strlen(value) != 1 || *value < '0' || *value > '2')
		return err_set(err, ERR_INVALID, is_test ? "unknown value for GIT_TEST_PROTOCOL_VERSION: %s" :
			       "unknown value for config 'protocol.version': %s", value);
	*out = *value - '0';
	return 0;
}

int read_fetch_checks(struct pack_checks *checks, const struct config_set *c, const struct hash_algo *algo, bool *wanted,
		      struct err *err)
{
	int rc = config_get_bool(c, "transfer.fsckobjects", wanted, err);

	if (rc >= 0)
		rc = config_get_bool(c, "fetch.fsckobjects", wanted, err);
	return rc < 0 ? rc : pack_checks_read(checks, c, "fetch.fsck.", algo, err);
}

void show_remote_words(void *data UNUSED, const char *text, size_t len)
{
	fwrite(text, 1, len, stderr);
	fflush(stderr);
}

int list_remote_refs(const struct remote *remote, const struct refs_query *q, struct remote_refs *refs, struct err *err)
{
	struct connect_options co = { .config = q->config, .verbosity = q->verbosity };
	struct fetch_session_options so = { .config = q->config, .algo = q->algo, .url = remote->urls.v[0],
					    .tell = show_remote_words };
	struct fetch_session *s = NULL;
	int rc = client_protocol_version(q->config, &co.version, err);

	so.server_options = q->server_options;
	so.configured_options = &remote->server_options;
	co.gitdir = q->gitdir;
	co.vcs = remote->vcs;
	co.program = q->program ? q->program : remote->upload_pack;
	co.remote_name = remote->origin == REMOTE_UNCONFIGURED ? NULL : remote->name;
	if (!rc)
		rc = fetch_session_open_url(&s, remote->urls.v[0], &co, &so, err);
	if (!rc)
		rc = fetch_session_refs(s, q->prefixes, refs, err);
	rc = fetch_session_end(s, rc, err);
	return rc;
}
