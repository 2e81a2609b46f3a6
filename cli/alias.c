/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/alias.h"
#include "cli/cli.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/run-command.h"

/*
 * Configuration as seen from here, without opening the repository; the cwd stays.
 * *prefix, *top: where the cwd is in the work tree; NULL if it has none.
 */
static struct config_set *early_config(char **prefix, char **top)
{
	struct config_set *c = NULL;
	struct err err = ERR_INIT;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* check-calls: reads */

	if (repo_read_early_config(&c, top, prefix, &err) < 0)
		die_err(&err);
	if (here >= 0) {
		if (fchdir(here) < 0)
			die("cannot change back to the current directory: %s", strerror(errno));
		close(here);
	}
	return c;
}

static const struct config_entry *find_alias(const struct config_set *c, const char *name)
{
	struct strbuf key = STRBUF_INIT;
	const struct config_entry *e = NULL;

	strbuf_addf(&key, "alias.%s", name);
	if (!strchr(name, '.') && *name)
		e = config_get(c, key.buf);
	strbuf_release(&key);
	return e;
}

static char *lookup(const char *name, char **prefix, char **top)
{
	struct config_set *c = early_config(prefix, top);
	const struct config_entry *e = find_alias(c, name);
	struct err err = ERR_INIT;
	char *text;

	if (e && !e->value) {
		config_entry_bad(e, &err, "missing value");
		die_err(&err);
	}
	text = e ? xstrdup(e->value) : NULL;
	config_set_free(c);
	return text;
}

void alias_list(struct strvec *out)
{
	char *prefix = NULL, *top = NULL;
	struct config_set *c = early_config(&prefix, &top);
	const char *name;

	for (size_t i = 0; i < config_nr(c); i++)
		if (skip_prefix(config_at(c, i)->key, "alias.", &name) && !strchr(name, '.'))
			strvec_push(out, name);
	strvec_sort_unique(out);
	config_set_free(c);
	free(prefix);
	free(top);
}

/* "!command": run by the shell at the top of the work tree, with the arguments. */
static int run_shell_alias(const char *name, const char *command, const struct strvec *args,
			   const char *prefix, const char *top)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err err = ERR_INIT;
	int rc;

	strvec_push(&cp.args, command);
	strvec_pushv(&cp.args, args->v + 1);
	cp.use_shell = true;
	cp.dir = top;
	if (top)
		strvec_pushf(&cp.env, "GIT_PREFIX=%s", prefix ? prefix : "");
	rc = run_command(&cp, &err);
	if (rc < 0)
		die("while expanding alias '%s': '%s': %s", name, command, err_message(&err));
	return rc;
}

static NORETURN void alias_loop(const struct string_list *seen, const char *name)
{
	static struct strbuf sb = STRBUF_INIT; /* the program ends here */
	size_t last = seen->nr - 1;

	for (size_t i = 0; i < seen->nr; i++) {
		const char *s = seen->items[i].string;

		strbuf_addf(&sb, "\n  %s%s", s,
			    !strcmp(s, name) ? " <==" : i == last ? " ==>" : "");
	}
	die("alias loop detected: expansion of '%s' does not terminate:%s",
	    seen->items[0].string, sb.buf);
}

/* The alias is other words of git: options, a command, arguments. */
static void splice_words(struct strvec *args, const char *name, const char *text,
			 struct git_options *o)
{
	struct git_options inner = { .use_pager = -1 };
	static struct strvec words;
	int skip;

	strvec_init(&words);
	if (strvec_split_cmdline(&words, text) < 0)
		die("bad alias.%s string: unclosed quote", name);
	skip = git_options_parse(&inner, (int)words.nr, words.v);
	if (inner.env_changed)
		die("alias '%s' changes environment variables.\n"
		    "You can use '!git' in the alias to do this", name);
	if (inner.end)
		exit(inner.code);
	if (inner.use_pager >= 0)
		o->use_pager = inner.use_pager;
	if ((size_t)skip == words.nr) {
		fprintf(stderr, "expansion of alias '%s' failed; '' is not a git command\n", name);
		exit(1);
	}
	if (!strcmp(words.v[skip], name))
		die("recursive alias: %s", name);

	strvec_pushv(&words, args->v + 1);
	strvec_clear(args);
	strvec_pushv(args, words.v + skip);
	strvec_clear(&words);
}

bool alias_expand(struct strvec *args, struct string_list *seen, struct git_options *o,
		  bool *ended, int *code)
{
	static char *name, *text; /* static: reachable where the program ends below */
	char *prefix = NULL, *top = NULL;
	bool found;

	name = xstrdup(args->v[0]);
	text = lookup(name, &prefix, &top);
	found = text != NULL;

	*ended = false;
	if (text && *text == '!') {
		*ended = true;
		*code = run_shell_alias(name, text + 1, args, prefix, top);
	} else if (text) {
		for (size_t i = 0; i < seen->nr; i++)
			if (!strcmp(seen->items[i].string, name))
				alias_loop(seen, name);
		string_list_append(seen, name);
		splice_words(args, name, text, o);
	}
	free(prefix);
	free(top);
	FREE_AND_NULL(name);
	FREE_AND_NULL(text);
	return found;
}
