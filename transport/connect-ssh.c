/* SPDX-License-Identifier: GPL-2.0-only */
/* ssh: GIT_SSH_COMMAND, GIT_SSH, core.sshCommand, ssh.variant; git(1), git-config(1). */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "repo/repo.h"
#include "transport/connect-internal.h"
#include "util/alloc.h"

/* Values of ssh.variant and GIT_SSH_VARIANT; an unknown value means OpenSSH. */
static enum ssh_variant variant_by_word(const char *word)
{
	static const struct {
		const char *word;
		enum ssh_variant variant;
	} words[] = {
		{ "auto", SSH_AUTO }, { "plink", SSH_PLINK }, { "putty", SSH_PUTTY },
		{ "tortoiseplink", SSH_TORTOISEPLINK }, { "simple", SSH_SIMPLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i].word))
			return words[i].variant;
	return SSH_OPENSSH;
}

/* By the last part of the program's name. */
static enum ssh_variant variant_by_program(const char *program)
{
	static const struct {
		const char *name;
		enum ssh_variant variant;
	} names[] = {
		{ "ssh", SSH_OPENSSH }, { "plink", SSH_PLINK }, { "tortoiseplink", SSH_TORTOISEPLINK },
	};
	const char *base = strrchr(program, '/');
	size_t len;

	base = base ? base + 1 : program;
	len = strlen(base);
	if (len > 4 && !strcasecmp(base + len - 4, ".exe"))
		len -= 4;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len && !strncasecmp(base, names[i].name, len))
			return names[i].variant;
	return SSH_AUTO;
}

/* The first word of a command line; SSH_AUTO: not known. */
static enum ssh_variant variant_by_command(const char *command)
{
	struct strvec words = STRVEC_INIT;
	enum ssh_variant v = SSH_AUTO;

	if (strvec_split_cmdline(&words, command) >= 0 && words.nr)
		v = variant_by_program(words.v[0]);
	strvec_clear(&words);
	return v;
}

static int configured_variant(const struct config_set *config, enum ssh_variant *out, struct err *err)
{
	const char *word = getenv("GIT_SSH_VARIANT");
	int rc = 0;

	if (!word)
		rc = config_get_string(config, "ssh.variant", &word, err);
	*out = word ? variant_by_word(word) : SSH_AUTO;
	return rc < 0 ? rc : 0;
}

/* Does it know the options of OpenSSH? It would print its configuration. */
static bool takes_openssh_options(const struct child_process *ssh, const struct strvec *options,
				  const char *host)
{
	struct child_process probe = CHILD_PROCESS_INIT;
	int code;

	strvec_pushv(&probe.env, repo_local_env);
	strvec_pushv(&probe.args, ssh->args.v);
	strvec_push(&probe.args, "-G");
	strvec_pushv(&probe.args, options->v);
	strvec_push(&probe.args, host);
	probe.use_shell = ssh->use_shell;
	probe.no_stdin = true;
	probe.out = sys->open("/dev/null", O_WRONLY | O_CLOEXEC, 0);
	probe.err = probe.out >= 0 ? fcntl(probe.out, F_DUPFD_CLOEXEC, 0) : 0;
	if (probe.out < 0)
		probe.out = 0;
	code = run_command(&probe, NULL);
	child_process_release(&probe);
	return !code;
}

static int add_options(struct strvec *args, struct strvec *env, enum ssh_variant v, const char *port,
		       const struct connect_options *o, struct err *err)
{
	if (v == SSH_OPENSSH && o->version > 0) {
		strvec_pushl(args, "-o", "SendEnv=GIT_PROTOCOL", NULL);
		strvec_pushf(env, "GIT_PROTOCOL=version=%d", o->version);
	}
	if (v == SSH_SIMPLE && (o->ipv4 || o->ipv6))
		return err_set(err, ERR_UNSUPPORTED, "ssh variant 'simple' does not support %s",
			       o->ipv4 ? "-4" : "-6");
	if (o->ipv4 || o->ipv6)
		strvec_push(args, o->ipv4 ? "-4" : "-6");
	if (v == SSH_TORTOISEPLINK)
		strvec_push(args, "-batch");
	if (port && v == SSH_SIMPLE)
		return err_set(err, ERR_UNSUPPORTED, "ssh variant 'simple' does not support setting port");
	if (port) {
		strvec_push(args, v == SSH_OPENSSH ? "-p" : "-P");
		strvec_push(args, port);
	}
	return 0;
}

/* The program, as the user wants it; *v may be SSH_AUTO then. */
static int choose_program(struct child_process *cp, const struct config_set *config, enum ssh_variant *v,
			  struct err *err)
{
	const char *command = getenv("GIT_SSH_COMMAND"), *program = getenv("GIT_SSH");
	int rc = configured_variant(config, v, err);

	if (!command && rc >= 0)
		rc = config_get_string(config, "core.sshcommand", &command, err);
	if (rc < 0)
		return rc;
	if (!command && !program)
		program = "ssh";
	strvec_push(&cp->args, command ? command : program);
	cp->use_shell = command != NULL;
	if (*v == SSH_AUTO)
		*v = command ? variant_by_command(command) : variant_by_program(program);
	return 0;
}

int connect_ssh(struct connection *c, const struct remote_url *u, const char *program,
		const struct connect_options *o, struct err *err)
{
	struct child_process *cp = &c->state->child;
	struct strvec options = STRVEC_INIT, none = STRVEC_INIT;
	struct strbuf line = STRBUF_INIT;
	enum ssh_variant v;
	int rc = choose_program(cp, o->config, &v, err);

	/* The other side is another repository: ssh may pass variables on (SendEnv), and a script as GIT_SSH may run git there. */
	strvec_pushv(&cp->env, repo_local_env);
	if (!rc && v == SSH_AUTO) {
		rc = add_options(&options, &none, SSH_OPENSSH, u->port, o, err);
		v = !rc && takes_openssh_options(cp, &options, u->user_host) ? SSH_OPENSSH : SSH_SIMPLE;
		strvec_clear(&options);
	}
	if (!rc)
		rc = add_options(&options, &cp->env, v, u->port, o, err);
	if (!rc) {
		strvec_pushv(&cp->args, options.v);
		strvec_push(&cp->args, u->user_host);
		connect_command_line(&line, program, u->path);
		strvec_push(&cp->args, line.buf);
		rc = connect_start(c, err);
	}
	strbuf_release(&line);
	strvec_clear(&options);
	strvec_clear(&none);
	return rc;
}
