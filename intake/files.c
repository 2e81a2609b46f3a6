/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "intake/fetcher.h"
#include "intake/files.h"
#include "intake/process.h"
#include "intake/quarantine.h"
#include "write-or-die.h"

struct reading {
	const struct intake_files *in;
	enum sandbox_mode mode;
	struct intake_fetcher fetcher;
};

/* ---- the first process ---- */

static int confine_to_files(const struct reading *p, struct err *err)
{
	const char *const files[] = { p->in->pack, NULL };
	struct sandbox sandbox;
	int rc = sandbox_probe(&sandbox, p->mode, err);

	if (rc <= 0)
		return rc;
	sandbox.files = files;
	return repo_confine(p->in->r, &sandbox, -1, err);
}

static int descriptor_of(const struct tempfile *t)
{
	return t ? t->fd : -1;
}

/* For intake_process. */
static int read_confined(void *data, int input, int output, struct err *err)
{
	const struct reading *p = data;
	const struct pack_receive_files *f = p->in->files;
	const int fds[] = { p->fetcher.fd, output, p->in->fd, descriptor_of(f->pack), descriptor_of(f->idx), descriptor_of(f->rev) };
	struct strbuf answer = STRBUF_INIT;
	int rc = intake_close_all_but(fds, ARRAY_SIZE(fds), err);

	if (!rc)
		rc = confine_to_files(p, err);
	if (!rc && p->fetcher.fd >= 0)
		intake_fetcher_use(p->fetcher.fd, p->in->algo, p->in->r->odb);
	if (!rc)
		rc = p->in->receive(p->in->data, &answer, err);
	return rc ? rc : intake_process_answer(input, output, &answer, err);
}

/* ---- the second one ---- */

static int check_files_confined(void *data, int input UNUSED, int output UNUSED, struct err *err)
{
	const struct reading *p = data;
	const struct intake_files *in = p->in;
	const struct intake_check check = { .sandbox = p->mode, .threads = in->policy->threads, .limits = in->policy->limits };

	return intake_check_tables(&check, in->algo, in->pack, in->files->idx->path,
				   in->files->rev ? in->files->rev->path : NULL, err);
}

/* ---- the parent ---- */

static int read_and_check(struct reading *p, struct intake_files_result *result, struct err *err)
{
	const struct intake_process reader = {
		.run = read_confined, .data = p, .name = p->in->name, .answer = &result->answer, .answer_max = p->in->answer_max,
	};
	const struct intake_process checker = { .run = check_files_confined, .data = p, .name = p->in->name };
	int rc = p->in->r ? intake_fetcher_start(&p->fetcher, p->in->r, err) : 0;

	if (!rc)
		rc = intake_process_run(&reader, err);
	intake_fetcher_end(&p->fetcher);
	return rc ? rc : intake_process_run(&checker, err);
}

/* The pack has been checked: it ends with its checksum. */
static int read_checksum(const struct intake_files *in, struct object_id *out, struct err *err)
{
	unsigned char raw[HASH_MAX_RAW];
	const size_t len = in->algo->raw_len;
	int fd = (int)RETRY_EINTR(sys->open(in->pack, O_RDONLY | O_CLOEXEC, 0)), rc = 0;
	off_t end;

	if (fd < 0)
		return err_set_errno(err, "cannot open packfile '%s'", in->pack);
	end = lseek(fd, 0, SEEK_END);
	errno = 0;
	if (end < (off_t)len || pread_in_full(fd, raw, len, end - (off_t)len) != (ssize_t)len)
		rc = err_set_errno(err, "cannot read back '%s'", in->pack);
	else
		oid_from_raw(out, raw, in->algo);
	sys->close(fd);
	return rc;
}

int intake_read_files(const struct intake_files *in, struct intake_files_result *result, struct err *err)
{
	struct reading p = { .in = in, .fetcher = INTAKE_FETCHER_INIT };
	struct sandbox sandbox;
	int rc = intake_read_sandbox(&p.mode, err);

	*result = (struct intake_files_result){ .pack = in->algo->null_oid, .answer = STRBUF_INIT };
	if (!rc)
		rc = sandbox_probe(&sandbox, p.mode, err);
	if (rc < 0)
		return rc;
	rc = rc ? read_and_check(&p, result, err) : in->receive(in->data, &result->answer, err);
	return rc ? rc : read_checksum(in, &result->pack, err);
}

void intake_files_result_release(struct intake_files_result *result)
{
	strbuf_release(&result->answer);
}
