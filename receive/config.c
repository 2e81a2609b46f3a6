/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of receive.* and transfer.*: git-config(1). */
#include "compat/posix.h"
#include "receive/receive.h"
#include "util/alloc.h"

#define KEEPALIVE_DEFAULT_S 5
#define INFLATED_DEFAULT ((uint64_t)2 << 30)
#define INFLATED_PER_INPUT_DEFAULT 10000u
#define TREE_BYTES_DEFAULT ((uint64_t)128 << 20)
#define COMMIT_BYTES_DEFAULT ((uint64_t)32 << 20)
#define SECONDS_MAX (7 * 24 * 3600)

/* Reads SERVICE.key, or else transfer.key. */
static const struct config_entry *entry_of_both(const struct config_set *c, const char *key)
{
	char *own = xconcat("receive.", key), *shared = xconcat("transfer.", key);
	const struct config_entry *e = config_get(c, own);

	if (!e)
		e = config_get(c, shared);
	free(own);
	free(shared);
	return e;
}

static int read_deny(const struct config_set *c, const char *key, enum deny_action *out, struct err *err)
{
	static const struct {
		const char *word;
		enum deny_action action;
	} words[] = { { "ignore", DENY_IGNORE }, { "warn", DENY_WARN }, { "refuse", DENY_REFUSE },
		      { "updateinstead", DENY_UPDATE_INSTEAD } };
	const struct config_entry *e = config_get(c, key);
	bool refuse;
	int rc;

	if (!e)
		return 0;
	for (size_t i = 0; e->value && i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(e->value, words[i].word)) {
			*out = words[i].action;
			return 0;
		}
	rc = config_entry_bool(e, &refuse, err);
	if (!rc)
		*out = refuse ? DENY_REFUSE : DENY_IGNORE;
	return rc;
}

static int read_rules(struct receive_config *out, const struct config_set *c, struct err *err)
{
	int rc = read_deny(c, "receive.denycurrentbranch", &out->deny_current_branch, err);

	if (!rc)
		rc = read_deny(c, "receive.denydeletecurrent", &out->deny_delete_current, err);
	if (rc < 0 || (rc = config_get_bool(c, "receive.denydeletes", &out->deny_deletes, err)) < 0 ||
	    (rc = config_get_bool(c, "receive.denynonfastforwards", &out->deny_non_fast_forwards, err)) < 0 ||
	    (rc = config_get_bool(c, "receive.shallowupdate", &out->shallow_update, err)) < 0)
		return rc;
	return 0;
}

/* 0: no limit; *out stays where nothing is configured. 1: something is. */
static int read_limit(const struct config_set *c, const char *key, uint64_t *out, struct err *err)
{
	const struct config_entry *e = config_get(c, key);
	int64_t bytes;
	int rc = e ? config_entry_int64(e, 0, INT64_MAX, &bytes, err) : 0;

	if (!e || rc < 0)
		return rc;
	*out = (uint64_t)bytes;
	return 1;
}

/* See Receiving.adoc for the reasons. */
static int read_limits(struct pack_receive_limits *out, const struct config_set *c, struct err *err)
{
	int rc = read_limit(c, "receive.maxinflatedsize", &out->inflated_bytes, err);

	if (!rc) {
		out->inflated_bytes = INFLATED_DEFAULT;
		out->inflated_per_input = INFLATED_PER_INPUT_DEFAULT;
	}
	out->tree_bytes = TREE_BYTES_DEFAULT;
	out->commit_bytes = COMMIT_BYTES_DEFAULT;
	if (rc >= 0)
		rc = read_limit(c, "receive.maxtreesize", &out->tree_bytes, err);
	if (rc >= 0)
		rc = read_limit(c, "receive.maxcommitsize", &out->commit_bytes, err);
	return rc < 0 ? rc : 0;
}

static int read_pack(struct receive_config *out, const struct config_set *c, struct err *err)
{
	const struct config_entry *fsck = entry_of_both(c, "fsckobjects");
	int rc;

	out->intake = (struct intake_policy){ .links = INTAKE_LINKS_NOTED, .fix_thin = true };
	rc = intake_read_unpack_limit(c, "receive", &out->intake.unpack_limit, err);
	if (!rc && fsck)
		rc = config_entry_bool(fsck, &out->fsck, err);
	if (!rc)
		rc = read_limit(c, "receive.maxinputsize", &out->intake.max_input_bytes, err);
	return rc < 0 ? rc : read_limits(&out->intake.limits, c, err);
}

static int read_advertised(struct receive_config *out, const struct config_set *c, struct err *err)
{
	int rc;

	out->advertise_atomic = out->prefer_ofs_delta = true;
	if ((rc = config_get_bool(c, "receive.advertiseatomic", &out->advertise_atomic, err)) < 0 ||
	    (rc = config_get_bool(c, "receive.advertisepushoptions", &out->advertise_push_options, err)) < 0 ||
	    (rc = config_get_bool(c, "repack.usedeltabaseoffset", &out->prefer_ofs_delta, err)) < 0 ||
	    (rc = config_get_bool(c, "transfer.advertisesid", &out->advertise_sid, err)) < 0)
		return rc;
	return 0;
}

static int read_rest(struct receive_config *out, const struct config_set *c, struct err *err)
{
	const struct config_entry *slop = config_get(c, "receive.certnonceslop");
	int seconds = KEEPALIVE_DEFAULT_S, rc;

	out->auto_gc = true;
	if ((rc = config_get_bool(c, "receive.autogc", &out->auto_gc, err)) < 0 ||
	    (rc = config_get_bool(c, "receive.updateserverinfo", &out->update_server_info, err)) < 0 ||
	    (rc = config_get_int(c, "receive.keepalive", &seconds, err)) < 0 ||
	    (rc = config_get_string(c, "receive.certnonceseed", &out->cert_nonce_seed, err)) < 0)
		return rc;
	out->keepalive_ms = seconds > 0 ? (int64_t)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 1000 : 0;
	return slop ? config_entry_int64(slop, 0, SECONDS_MAX, &out->cert_nonce_slop_s, err) : 0;
}

static int read_proc_receive(struct receive_config *out, const struct config_set *c, struct err *err)
{
	size_t nr;
	const struct config_entry *const *all = config_get_all(c, "receive.procreceiverefs", &nr);

	for (size_t i = 0; i < nr; i++) {
		if (!all[i]->value)
			return config_entry_bad(all[i], err, "missing value");
		strvec_push(&out->proc_receive_refs, all[i]->value);
	}
	return 0;
}

/* Only the operator of the server may set it, not the owner of the repository. */
static int read_protected(struct receive_config *out, struct err *err)
{
	struct config_set *c = config_set_new();
	int rc = config_set_read_protected(c, err);

	if (!rc)
		rc = sandbox_read_config(&out->sandbox, c, err);
	config_set_free(c);
	return rc;
}

int receive_config_read(struct receive_config *out, const struct config_set *c, struct err *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->proc_receive_refs);
	if ((rc = read_rules(out, c, err)) < 0 || (rc = read_pack(out, c, err)) < 0 ||
	    (rc = read_advertised(out, c, err)) < 0 || (rc = read_rest(out, c, err)) < 0 ||
	    (rc = read_proc_receive(out, c, err)) < 0)
		return rc;
	return read_protected(out, err);
}

void receive_config_release(struct receive_config *c)
{
	strvec_clear(&c->proc_receive_refs);
}
