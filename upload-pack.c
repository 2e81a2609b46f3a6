/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "upload-pack.h"
#include "fs/private-dir.h"
#include "relay/relay.h"
#include "serve.h"
#include "upload/broker.h"
#include "upload/upload.h"
#include "util/alloc.h"

static int upload_server_init(struct upload_server *s, struct repository *r,
			      const struct upload_pack_options *o, struct err *err)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->repo = r;
	s->o = *o;
	strvec_init(&s->hidden.rules);
	pkt_reader_init(&s->in, o->in);
	s->in.on_eof = PKT_EOF_REFUSED;
	s->in.timeout_s = o->timeout_s;
	pkt_writer_init(&s->out, o->out);
	s->broker.fd = -1;
	s->out.timeout_s = o->timeout_s;
	/* Only so is a client noticed that does not read. A terminal is shared with others. */
	s->out_blocked = o->timeout_s && !isatty(o->out) && os_set_nonblocking(o->out);
	rc = upload_config_read(&s->config, r->config, err);
	if (!rc)
		rc = hidden_refs_read(&s->hidden, r->config, "uploadpack", err);
	if (!rc)
		rc = namespace_prefix(&s->prefix, err);
	return rc;
}

static void upload_server_release(struct upload_server *s)
{
	broker_release(&s->broker);
	if (s->out_blocked)
		fcntl(s->o.out, F_SETFL, fcntl(s->o.out, F_GETFL) & ~O_NONBLOCK);
	pkt_reader_release(&s->in);
	pkt_writer_release(&s->out);
	upload_config_release(&s->config);
	hidden_refs_release(&s->hidden);
	commit_pool_free(s->pool);
	free(s->share_refused);
	free(s->prefix);
}

/*
 * Before a pack has begun there is room for an "ERR" packet (gitprotocol-pack(5)); with sideband-all, an error has a
 * band.
 */
static void report_to_fetcher(struct upload_server *s, struct err *why)
{
	pkt_writer_reset(&s->out);
	if (s->told || s->in.hung_up || pkt_writer_failed(&s->out))
		return;
	if (s->out.band)
		s->out.band = BAND_ERROR;
	pkt_writer_addf(&s->out, "%s%s%.1000s", s->out.band ? "" : "ERR ",
			s->refused ? "" : "upload-pack: ", err_message(why));
	(void)!pkt_writer_send(&s->out, NULL);
}

/* The directory that a confined server may write to: NULL: none. */
static const char *private_dir(struct upload_server *s)
{
	const char *dir = s->config.share_s ? s->config.share_dir : NULL;
	struct err why = ERR_INIT;
	int fd;

	if (!dir)
		return NULL;
	if (!private_dir_open(&fd, dir, &why)) {
		close(fd);
		return dir;
	}
	s->share_refused = xstrdup(err_message(&why));
	err_release(&why);
	return NULL;
}

/* After it the server's process is confined. UPLOAD_PACK_BROKER: this is not that process. */
static int confine(struct upload_server *s, struct err *err)
{
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, s->config.sandbox, err);

	if (rc <= 0)
		return rc;
	sandbox.private_dir = private_dir(s);
	sandbox.locks = s->config.max_concurrent > 0;
	rc = s->config.pack_objects_hook ? broker_fork(&s->broker, err) : 0;
	if (rc > 0) {
		(void)!broker_run(s, err);
		return UPLOAD_PACK_BROKER;
	}
	return rc < 0 ? rc : repo_confine(s->repo, &sandbox, s->broker.fd, err);
}

/* Cancels a walk if its client is gone. */
static int check_client(void *data, struct err *err)
{
	const struct upload_server *s = data;
	bool gone = s->queue ? relay_queue_has_lost_client(s->queue) : peer_is_gone(s->o.out);

	return gone ? err_set(err, ERR_ABORTED, "the client is gone") : 0;
}

int upload_pack_serve(struct repository *r, const struct upload_pack_options *o,
		      struct err *err)
{
	struct upload_server s;
	struct err why = ERR_INIT;
	int rc;

	repo_ignore_replacements(r); /* the client gets the objects themselves */
	rc = upload_server_init(&s, r, o, &why);
	if (!rc && o->confine)
		rc = confine(&s, &why);
	r->cancel = (struct cancel_token){ .fn = check_client, .data = &s };
	if (!rc)
		rc = o->version == 2 ? serve_v2(&s, &why) : upload_serve_v0(&s, &why);
	/* A callback that stopped because of it has not said why. */
	if (rc < 0 && pkt_writer_failed(&s.out))
		rc = pkt_writer_send(&s.out, &why);
	if (rc < 0)
		report_to_fetcher(&s, &why);
	err_move(err, &why);
	r->cancel.fn = NULL;
	upload_server_release(&s);
	return rc;
}
