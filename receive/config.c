/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of receive.* and transfer.*: git-config(1). */
#include "compat/posix.h"
#include "receive/receive.h"
#include "util/alloc.h"

#define KEEPALIVE_DEFAULT_S 5
#define SECONDS_MAX (7 * 24 * 3600)

/* SERVICE.key, or else transfer.key. */
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

static int read_pack(struct receive_config *out, const struct config_set *c, struct err *err)
{
	const struct config_entry *limit = entry_of_both(c, "unpacklimit"), *fsck = entry_of_both(c, "fsckobjects"),
				  *max = config_get(c, "receive.maxinputsize");
	int64_t bytes = 0;
	int rc = 0;

	out->unpack_limit = -1;
	if (limit)
		rc = config_entry_int64(limit, INT32_MIN, INT32_MAX, &out->unpack_limit, err);
	if (!rc && fsck)
		rc = config_entry_bool(fsck, &out->fsck, err);
	if (!rc && max)
		rc = config_entry_int64(max, 0, INT64_MAX, &bytes, err);
	out->max_input_bytes = (uint64_t)bytes;
	return rc;
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

/* Only who runs the server has a say in it, not the repository's owner. */
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
