/* SPDX-License-Identifier: GPL-2.0-only */
/* The identities of the user. git-commit(1), COMMIT INFORMATION; git-config(1), user.*. */
#include "compat/posix.h"
#include <netdb.h>
#include <pwd.h>
#include <sys/socket.h>
#include "repo/ident.h"
#include "fs/file.h"
#include "object/ident.h"
#include "util/alloc.h"

struct role {
	const char *title; /* "Author" */
	const char *env_name, *env_mail, *env_date;
	const char *key_name, *key_mail;
};
static const struct role roles[] = {
	{ "Author", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "author.name",
	  "author.email" },
	{ "Committer", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	  "committer.name", "committer.email" },
};

static int unknown_identity(const struct role *role, struct err *err, const char *fmt, const char *arg)
{
	char *msg = xstrfmt("%s%s%s", fmt, arg ? arg : "", arg ? "')" : "");
	char *preface = xstrfmt("%s identity unknown\n"
		"\n*** Please tell me who you are.\n\nRun\n\n"
		"  git config --global user.email \"you@example.com\"\n"
		"  git config --global user.name \"Your Name\"\n\n"
		"to set your account's default identity.\n"
		"Omit --global to set the identity only in this repository.\n\n", role->title);

	err_set(err, ERR_NO_IDENT, "%s", msg);
	err_set_preface(err, preface);
	free(preface);
	free(msg);
	return ERR_NO_IDENT;
}

/* ---- defaults of the system ---- */

/* The full name of the account; "&" in it means the login name. */
static char *system_name(void)
{
	struct passwd *pw = getpwuid(getuid());
	struct strbuf sb = STRBUF_INIT;

	if (!pw)
		return xstrdup("unknown");
	for (const char *p = pw->pw_gecos ? pw->pw_gecos : ""; *p && *p != ','; p++) {
		if (*p == '&' && *pw->pw_name) {
			strbuf_addch(&sb, toupper((unsigned char)*pw->pw_name));
			strbuf_addstr(&sb, pw->pw_name + 1);
		} else {
			strbuf_addch(&sb, *p);
		}
	}
	if (!sb.len)
		strbuf_addstr(&sb, pw->pw_name);
	return strbuf_detach(&sb, NULL);
}

static bool canonical_host(const char *host, struct strbuf *out)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_flags = AI_CANONNAME }, *ai;
	bool found = false;

	if (getaddrinfo(host, NULL, &hints, &ai))
		return false;
	if (ai && ai->ai_canonname && strchr(ai->ai_canonname, '.')) {
		strbuf_addstr(out, ai->ai_canonname);
		found = true;
	}
	freeaddrinfo(ai);
	return found;
}

/* login@host. *bogus: the host has no domain that mail could reach. */
static char *system_mail(bool *bogus)
{
	struct passwd *pw = getpwuid(getuid());
	struct strbuf sb = STRBUF_INIT, mailname = STRBUF_INIT;
	char host[256] = "";

	*bogus = !pw;
	strbuf_addf(&sb, "%s@", pw ? pw->pw_name : "unknown");
	if (!read_file(&mailname, "/etc/mailname", 4096, NULL))
		strbuf_trim(&mailname);
	if (mailname.len && !strchr(mailname.buf, '\n')) {
		strbuf_addbuf(&sb, &mailname);
	} else if (gethostname(host, sizeof(host) - 1) < 0 || !*host) {
		strbuf_addstr(&sb, "(none)");
		*bogus = true;
	} else if (strchr(host, '.')) {
		strbuf_addstr(&sb, host);
	} else if (!canonical_host(host, &sb)) {
		strbuf_addf(&sb, "%s.(none)", host);
		*bogus = true;
	}
	strbuf_release(&mailname);
	return strbuf_detach(&sb, NULL);
}

/* ---- environment and configuration ---- */

static const char *configured(const struct config_set *c, const char *key)
{
	const struct config_entry *e = config_get(c, key);

	return e ? e->value : NULL;
}

static bool config_only(const struct config_set *c)
{
	bool only = false;

	return config_get_bool(c, "user.useconfigonly", &only, NULL) == 1 && only;
}

static int find_mail(char **out, const struct config_set *c, const struct role *role,
		     bool strict, struct err *err)
{
	const char *mail = getenv(role->env_mail);
	bool bogus;
	char *text;
	int rc;

	if (!mail)
		mail = configured(c, role->key_mail);
	if (!mail)
		mail = configured(c, "user.email");
	if (!mail && config_only(c) && strict)
		return unknown_identity(role, err, "no email was given and auto-detection is disabled",
			      NULL);
	if (!mail && (mail = getenv("EMAIL")) && !*mail)
		mail = NULL;
	if (mail) {
		*out = xstrdup(mail);
		return 0;
	}
	text = system_mail(&bogus);
	if (bogus && strict) {
		rc = unknown_identity(role, err, "unable to auto-detect email address (got '", text);
		free(text);
		return rc;
	}
	*out = text;
	return 0;
}

static int find_name(char **out, const struct config_set *c, const struct role *role,
		     const char *mail, bool strict, struct err *err)
{
	const char *name = getenv(role->env_name);
	bool given = true;
	char *text;
	int rc = 0;

	if (!name)
		name = configured(c, role->key_name);
	if (!name)
		name = configured(c, "user.name");
	if (!name) {
		if (config_only(c) && strict)
			return unknown_identity(role, err,
				      "no name was given and auto-detection is disabled", NULL);
		given = false;
	}
	text = given ? xstrdup(name) : system_name();
	if (!*text && strict) {
		rc = err_set(err, ERR_NO_IDENT, "empty ident name (for <%s>) not allowed", mail);
	} else if (!*text) {
		free(text);
		text = system_name();
	} else if (strict && ident_is_empty(text)) {
		rc = err_set(err, ERR_NO_IDENT,
			     "name consists only of disallowed characters: %s", text);
	}
	if (rc < 0)
		free(text);
	else
		*out = text;
	return rc;
}

static int find_date(const struct role *role, timestamp_t *t, int *tz, struct err *err)
{
	const char *date = getenv(role->env_date);

	if (!date || !*date) {
		*t = date_now(tz);
		return 0;
	}
	if (date_parse(date, t, tz) < 0)
		return err_set(err, ERR_INVALID, "invalid date format: %s", date);
	return 0;
}

int ident_from_config(const struct config_set *c, struct strbuf *out, unsigned flags,
		      struct err *err)
{
	const struct role *role = &roles[flags & IDENT_COMMITTER ? 1 : 0];
	bool strict = (flags & IDENT_STRICT) != 0;
	char *name = NULL, *mail = NULL;
	struct strbuf line = STRBUF_INIT;
	timestamp_t date = 0;
	int tz = 0, rc;

	rc = find_mail(&mail, c, role, strict, err);
	if (!rc)
		rc = find_name(&name, c, role, mail, strict, err);
	if (!rc && !(flags & IDENT_NO_DATE))
		rc = find_date(role, &date, &tz, err);
	if (!rc)
		rc = ident_format(&line, name, mail, date, tz, strict, err);
	if (!rc && (flags & IDENT_NO_DATE)) /* "Name <mail>" */
		strbuf_setlen(&line, strrchr(line.buf, '>') + 1 - line.buf);
	if (!rc)
		strbuf_addbuf(out, &line);
	strbuf_release(&line);
	free(name);
	free(mail);
	return rc;
}

int repo_ident(struct repository *r, struct strbuf *out, unsigned flags, struct err *err)
{
	return ident_from_config(r->config, out, flags, err);
}
