/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fsck-object [--strict] [--as=.gitmodules|--as=.gitattributes] [-c msg=severity] TYPE <content
 *
 * Prints the findings in one object as fsck does: "error in blob OID: msgId: text".
 * Exits with 1 if there are any.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "object/fsck.h"

static int show(void *data UNUSED, const struct object_id *oid, enum object_type type,
		enum fsck_severity severity, const char *msg_id, const char *text)
{
	printf("%s in %s %s: %s: %s\n", severity == FSCK_ERROR ? "error" : "warning",
	       object_type_name(type), oid_hex(oid), msg_id, text);
	return severity == FSCK_ERROR;
}

static bool set_option(struct fsck_options *o, const char *text)
{
	char *eq = strchr(text, '=');
	struct err err = ERR_INIT;
	bool ok = false;

	if (eq) {
		*eq = '\0';
		ok = !fsck_set_severity(o, text, eq + 1, &err);
	}
	if (!ok)
		fprintf(stderr, "fatal: %s\n", err_message(&err));
	err_release(&err);
	return ok;
}

int main(int argc, char **argv)
{
	struct fsck_options o = { .report = show };
	struct strbuf in = STRBUF_INIT;
	struct object_id oid;
	const char *as = "";
	enum object_type type;
	int i, failures;

	for (i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "--strict"))
			o.strict = true;
		else if (!strcmp(argv[i], "-c") && ++i < argc - 1 && !set_option(&o, argv[i]))
			return 128;
		else
			skip_prefix(argv[i], "--as=", &as);
	}
	type = i < argc ? object_type_from_name(argv[i], strlen(argv[i])) : OBJ_BAD;
	if (type == OBJ_BAD || read_fd(&in, 0, 0, "standard input", NULL) < 0)
		return 129;
	(void)!hash_object_buf(hash_sha1, argv[i], in.buf, in.len, &oid, NULL);
	if (!strcmp(as, ".gitmodules"))
		oidset_insert(&o.gitmodules.found, &oid);
	if (!strcmp(as, ".gitattributes"))
		oidset_insert(&o.gitattributes.found, &oid);
	failures = fsck_object(&o, &oid, type, in.buf, in.len, hash_sha1);
	strbuf_release(&in);
	fsck_options_release(&o);
	return failures > 0;
}
