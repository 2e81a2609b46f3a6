/* SPDX-License-Identifier: GPL-2.0-only */
/* What running a signing program needs: temporary files, line ends, reports of failures. */
#include "compat/posix.h"
#include "sign/sign-internal.h"
#include "write-or-die.h"

const char *sign_temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int sign_fill_temp(struct tempfile **t, const char *text, size_t len, struct err *err)
{
	int rc = write_in_full((*t)->fd, text, len, (*t)->path, err);

	if (!rc)
		rc = tempfile_close(*t, err);
	if (rc < 0)
		tempfile_delete(t);
	return rc;
}

int sign_write_temp(struct tempfile **out, const char *prefix, const char *text, size_t len,
		    struct err *err)
{
	struct tempfile *t = NULL;
	int rc = tempfile_create_in(&t, sign_temp_dir(), prefix, 0600, err);

	if (!rc)
		rc = sign_fill_temp(&t, text, len, err);
	if (!rc)
		*out = t;
	return rc;
}

void sign_remove_cr(struct strbuf *text, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < text->len; i++)
		if (text->buf[i] != '\r' || i + 1 == text->len || text->buf[i + 1] != '\n')
			text->buf[to++] = text->buf[i];
	strbuf_setlen(text, to);
}

void sign_report_error(struct repository *r, struct err *err)
{
	if (r->report_error)
		r->report_error(r->warn_data, err_message(err));
	err_release(err);
}
