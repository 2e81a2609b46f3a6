/* SPDX-License-Identifier: GPL-2.0-only */
/* git-mailsplit(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "mail/mail.h"
#include "util/alloc.h"

#define PRECISION_MIN 3
#define PRECISION_MAX 9

static const char *const usage[] = {
	"git mailsplit [-d<prec>] [-f<n>] [-b] [--keep-cr] -o<directory> [(<mbox>|<Maildir>)...]",
	NULL
};
static const struct option no_options[] = { OPT_END() };

struct mailsplit {
	struct mailbox_options box;
	const char *dir;
	int precision;
	unsigned nr, first;
	const char *prefix;
};

static int write_mail(void *data, const struct strbuf *mail, struct err *err)
{
	struct mailsplit *m = data;
	char *path = xstrfmt("%s/%0*u", m->dir, m->precision, ++m->nr);
	int fd = (int)RETRY_EINTR(sys->open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
	int rc;

	if (fd < 0)
		rc = err_set_errno(err, "unable to create '%s'", path);
	else
		rc = write_in_full(fd, mail->buf, mail->len, path, err);
	if (fd >= 0 && sys->close(fd) < 0 && rc >= 0)
		rc = err_set_errno(err, "could not write '%s'", path);
	free(path);
	return rc;
}

static int split_mbox(struct mailsplit *m, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	unsigned before = m->nr;
	int rc;

	if (path)
		rc = read_named_file(&text, path, EDIT_TEXT_MAX, err);
	else
		rc = read_fd(&text, 0, EDIT_TEXT_MAX, "standard input", err);
	if (!rc)
		rc = mailbox_split(text.buf, text.len, &m->box, write_mail, m, err);
	if (!rc && path && m->nr == before)
		rc = err_set(err, ERR_NOT_FOUND, "empty mbox: '%s'", path);
	strbuf_release(&text);
	return rc;
}

/* The exit code, after a message. */
static int report_split_error(const char *name, struct err *err)
{
	if (err->code == ERR_INVALID) {
		fprintf(stderr, "%s\n", err_message(err)); /* as Git has it: corrupt mailbox */
		err_release(err);
		return 1;
	}
	if (err->code == ERR_EXISTS || strstr(err_message(err), "unable to create"))
		return report_fatal(err);
	report_error(err);
	error("cannot split patches from %s", name);
	return 1;
}

/* Prints the number of mails. */
static int split_one(struct mailsplit *m, const char *name)
{
	bool standard_input = !strcmp(name, "-");
	char *path = m->prefix && *name != '/' && !standard_input ? xstrfmt("%s%s", m->prefix, name) : xstrdup(name);
	struct err err = ERR_INIT;
	struct stat st;
	int rc, code = 0;

	if (!standard_input && stat(path, &st) < 0) {
		error("cannot stat %s: %s", name, strerror(errno));
		code = 1;
	} else {
		rc = !standard_input && S_ISDIR(st.st_mode) ? maildir_split(path, EDIT_TEXT_MAX, &m->box, write_mail, m, &err) :
							      split_mbox(m, standard_input ? NULL : path, &err);
		code = rc < 0 ? report_split_error(name, &err) : 0;
	}
	free(path);
	return code;
}

/* These options have their values stuck to them. False: it is none of them. */
static bool take_option(struct mailsplit *m, const char *arg)
{
	char *end;

	if (!strcmp(arg, "-b")) {
		m->box.bare = true;
	} else if (!strcmp(arg, "--keep-cr")) {
		m->box.keep_cr = true;
	} else if (!strcmp(arg, "--mboxrd")) {
		m->box.mboxrd = true;
	} else if (arg[1] == 'o' && arg[2]) {
		m->dir = arg + 2;
	} else if (arg[1] == 'f') {
		m->first = (unsigned)strtol(arg + 2, NULL, 10);
	} else if (arg[1] == 'd') {
		m->precision = (int)strtol(arg + 2, &end, 10);
		if (*end || m->precision < PRECISION_MIN || m->precision > PRECISION_MAX)
			usage_with_options(usage, no_options);
	} else {
		return false;
	}
	return true;
}

/* The names behind the options; argv[*nr] ends them. */
static const char **read_arguments(struct mailsplit *m, int argc, const char **argv, int *nr)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!take_option(m, argv[i]))
			die("unknown option: %s", argv[i]);
	}
	*nr = argc - i;
	return argv + i;
}

/* Before there was -o, the directory was the last of one or two arguments. */
static void take_old_directory(struct mailsplit *m, const char **names, int *nr)
{
	if (*nr < 1 || *nr > 2)
		usage_with_options(usage, no_options);
	m->dir = names[--*nr];
}

int cmd_mailsplit(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mailsplit m = { .precision = 4, .prefix = ctx->prefix };
	const char **names;
	int nr, code = 0;

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, no_options);
	names = read_arguments(&m, argc, argv, &nr);
	if (!m.dir)
		take_old_directory(&m, names, &nr);
	m.nr = m.first;
	if (!nr)
		code = split_one(&m, "-");
	for (int i = 0; !code && i < nr; i++)
		code = split_one(&m, names[i]);
	if (code)
		return code;
	printf("%u\n", m.nr - m.first);
	return finish_stdout();
}
