/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/tag/gpg.h"
#include "util/color.h"

void gpg_show_check(const struct signature_check *c, unsigned flags)
{
	const char *text = flags & GPG_VERIFY_RAW ? c->status : c->output;

	if (flags & GPG_VERIFY_VERBOSE)
		fwrite(c->payload.buf, 1, c->payload.len, stdout);
	fflush(stdout);
	if (text)
		fputs(text, stderr);
}

static bool read_tag(struct repository *r, const char *name, const struct object_id *oid,
		     struct object_buf *buf)
{
	struct object_info info;

	if (odb_type(r->odb, oid, &info.type, &info.size, NULL) >= 0 && info.type != OBJ_TAG) {
		error("%s: cannot verify a non-tag object of type %s.", name,
		      object_type_name(info.type));
		return false;
	}
	if (odb_read_type(r->odb, oid, OBJ_TAG, buf, NULL) < 0) {
		error("%s: unable to read file.", name);
		return false;
	}
	return true;
}

bool gpg_verify_tag(struct repository *r, const char *name, const struct object_id *oid,
		    unsigned flags)
{
	struct signature_check c = SIGNATURE_CHECK_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	bool good = false;
	int rc;

	if (!read_tag(r, name, oid, &buf))
		return false;
	rc = signature_check_tag(&c, r, buf.data, buf.size, &err);
	if (rc == ERR_INVALID)
		die_err(&err);
	if (rc < 0) {
		report_error(&err);
	} else {
		good = c.good;
		/* An unsigned one is shown whatever --format says. */
		if (!c.is_signed || !(flags & GPG_VERIFY_OMIT_STATUS))
			gpg_show_check(&c, flags);
		if (!c.is_signed)
			error("no signature found");
	}
	signature_check_release(&c);
	object_buf_release(&buf);
	return good;
}

struct reflist *gpg_open_format(struct repository *r, const char *format, int color_when,
				const char *const *usage, const struct option *opts)
{
	struct reflist *l;
	struct err err = ERR_INIT;
	int rc;

	if (!format)
		return NULL;
	l = reflist_new(r);
	l->color = color_wanted(color_when, STDOUT_FILENO, pager_in_use());
	rc = reflist_set_format(l, format, &err);
	if (rc == ERR_CORRUPT) {
		error("%s", err_message(&err));
		usage_with_options(usage, opts);
	}
	if (rc < 0)
		die_err(&err);
	return l;
}

int gpg_show_tag(struct reflist *l, const char *name, const struct object_id *oid,
		 bool omit_empty, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = reflist_show(l, reflist_add(l, name, oid), &out, err);

	if (!rc && (out.len || !omit_empty)) {
		strbuf_addch(&out, '\n');
		fwrite(out.buf, 1, out.len, stdout);
	}
	strbuf_release(&out);
	return rc;
}
