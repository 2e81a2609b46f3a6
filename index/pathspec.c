/* SPDX-License-Identifier: GPL-2.0-only */
/* Parsing pathspecs: magic, prefix, environment (gitglossary(7)). */
#include "compat/posix.h"
#include "config/config.h"
#include "fs/file.h"
#include "index/pathspec.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/wildmatch.h"

/* Common to all arguments. */
struct parse_ctx {
	const char *prefix;
	size_t prefix_len;
	const char *worktree;
	unsigned flags;
	bool env_literal, env_glob, env_noglob, env_icase;
	struct err *err;
};

/* Bytes that may come behind a short ':' but mean nothing yet. */
static bool is_unknown_magic(int c)
{
	return c && strchr("\"#%&',-;<=>@_`~", c);
}

/* ---- :(long,magic) ---- */

static bool is_attr_char(char ch, const char *others)
{
	return isalnum((unsigned char)ch) || (ch && strchr(others, ch));
}

/* One of the words of attr: "name", "-name", "!name", "name=value". */
static int check_attr_word(const char *word, size_t len, struct err *err)
{
	size_t sign = len && (*word == '-' || *word == '!'), name = sign, at;

	while (name < len && is_attr_char(word[name], "-_."))
		name++;
	at = name;
	if (at < len && !sign && word[at] == '=')
		for (at++; at < len; at++)
			if (!is_attr_char(word[at], "-_,"))
				return err_set(err, ERR_INVALID, "cannot use '%c' for value matching", word[at]);
	if (name == sign || word[sign] == '-' || at < len)
		return err_set(err, ERR_INVALID, "invalid attribute name %.*s", (int)(len - sign), word + sign);
	return 0;
}

static int check_attr(const char *text, struct err *err)
{
	int rc = 0;

	while (!rc && *(text += strspn(text, " \t"))) {
		size_t len = strcspn(text, " \t");

		rc = check_attr_word(text, len, err);
		text += len;
	}
	return rc;
}

static int add_attr(struct pathspec_item *it, const char *text, size_t len,
		    const struct parse_ctx *c)
{
	struct strbuf attr = STRBUF_INIT;

	if (it->attr)
		return err_set(c->err, ERR_INVALID, "Only one 'attr:' specification is allowed.");
	if (!len)
		return err_set(c->err, ERR_INVALID, "attr spec must not be empty");
	if (c->flags & PATHSPEC_NO_ATTR)
		return err_set(c->err, ERR_INVALID,
			       "%s: pathspec magic not supported by this command: 'attr'",
			       it->original);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len)
			i++;
		strbuf_addch(&attr, text[i]);
	}
	it->attr = strbuf_detach(&attr, NULL);
	return check_attr(it->attr, c->err);
}

/* "prefix:N" is written by programs that pass their pathspecs on. */
static int set_prefix_len(struct pathspec_item *it, const char *text, size_t len,
			  long *prefix_len, const struct parse_ctx *c)
{
	char *end;

	*prefix_len = strtol(text, &end, 10);
	if (end != text + len || *prefix_len < 0 || !len)
		return err_set(c->err, ERR_INVALID, "invalid parameter for pathspec magic 'prefix'");
	it->top = false;
	return 0;
}

static int apply_word(struct pathspec_item *it, const char *w, size_t len, long *prefix_len,
		      const struct parse_ctx *c)
{
	static const struct {
		const char *name;
		size_t offset;
	} words[] = {
		{ "top", offsetof(struct pathspec_item, top) },
		{ "literal", offsetof(struct pathspec_item, literal) },
		{ "icase", offsetof(struct pathspec_item, icase) },
		{ "glob", offsetof(struct pathspec_item, glob) },
		{ "exclude", offsetof(struct pathspec_item, exclude) },
	};

	if (len >= 5 && !memcmp(w, "attr:", 5))
		return add_attr(it, w + 5, len - 5, c);
	if (len == 4 && !memcmp(w, "attr", 4)) /* of no attribute: every path has that */
		return 0;
	if (len >= 7 && !memcmp(w, "prefix:", 7))
		return set_prefix_len(it, w + 7, len - 7, prefix_len, c);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, w, len)) {
			*(bool *)((char *)it + words[i].offset) = true;
			return 0;
		}
	return err_set(c->err, ERR_INVALID, "Invalid pathspec magic '%.*s' in '%s'", (int)len, w,
		       it->original);
}

static size_t word_len(const char *s)
{
	const char *p = s;

	for (; *p && *p != ',' && *p != ')'; p++)
		if (*p == '\\' && p[1])
			p++;
	return (size_t)(p - s);
}

static int parse_long(struct pathspec_item *it, const char **rest, long *prefix_len,
		      const struct parse_ctx *c)
{
	const char *p = *rest; /* behind ":(" */

	while (*p && *p != ')') {
		size_t len = word_len(p);
		int ret = len ? apply_word(it, p, len, prefix_len, c) : 0;

		if (ret)
			return ret;
		p += len;
		p += *p == ',';
	}
	if (*p != ')')
		return err_set(c->err, ERR_INVALID,
			       "Missing ')' at the end of pathspec magic in '%s'", it->original);
	*rest = p + 1;
	return 0;
}

/* ---- :/!^ ---- */

static int parse_short(struct pathspec_item *it, const char **rest, const struct parse_ctx *c)
{
	const char *p = *rest; /* behind ":" */

	for (; *p && *p != ':'; p++) {
		if (*p == '/')
			it->top = true;
		else if (*p == '!' || *p == '^')
			it->exclude = true;
		else if (is_unknown_magic(*p))
			return err_set(c->err, ERR_INVALID,
				       "Unimplemented pathspec magic '%c' in '%s'", *p,
				       it->original);
		else
			break;
	}
	*rest = p + (*p == ':');
	return 0;
}

/* ---- the path ---- */

static int outside(const struct parse_ctx *c, const char *elt, const char *path)
{
	return err_set(c->err, ERR_INVALID, "%s: '%s' is outside repository at '%s'", elt, path,
		       c->worktree ? c->worktree : "");
}

/* An absolute path below the work tree, made relative; maybe through symlinks. */
static int make_relative(struct strbuf *path, const struct parse_ctx *c)
{
	const char *rest = c->worktree ? path_inside(path->buf, c->worktree) : NULL;
	char *copy;

	if (c->worktree && !rest) {
		struct strbuf dir = STRBUF_INIT;
		char *real;

		path_dirname(&dir, path->buf);
		real = path_real(dir.buf, 1);
		strbuf_reset(&dir);
		if (real) {
			strbuf_addpath(&dir, real, path_basename(path->buf));
			strbuf_swap(&dir, path);
			rest = path_inside(path->buf, c->worktree);
		}
		free(real);
		strbuf_release(&dir);
	}
	if (!rest)
		return -1;
	copy = xstrdup(rest);
	strbuf_reset(path);
	strbuf_addstr(path, copy);
	free(copy);
	return 0;
}

/* How much of the prefix is in front of the path. */
static size_t common_dir(const char *prefix, const char *path)
{
	size_t dir = 0;

	for (size_t i = 0; prefix[i] && prefix[i] == path[i]; i++)
		if (prefix[i] == '/')
			dir = i + 1;
	return dir;
}

static int resolve_path(struct pathspec_item *it, const char *text, const struct parse_ctx *c)
{
	struct strbuf path = STRBUF_INIT;
	bool absolute = is_absolute_path(text);

	if (!absolute)
		strbuf_add(&path, c->prefix ? c->prefix : "", c->prefix_len);
	strbuf_addstr(&path, text);
	if (strbuf_path_normalize(&path) < 0 || (absolute && make_relative(&path, c) < 0)) {
		strbuf_release(&path);
		return outside(c, it->original, text);
	}
	it->prefix_len = absolute || !c->prefix ? 0 : common_dir(c->prefix, path.buf);
	it->match = strbuf_detach(&path, &it->len);
	return 0;
}

static int parse_magic(struct pathspec_item *it, const char **rest, long *prefix_len,
		       const struct parse_ctx *c)
{
	if (c->env_literal || **rest != ':')
		return 0;
	++*rest;
	if (**rest != '(')
		return parse_short(it, rest, c);
	++*rest;
	return parse_long(it, rest, prefix_len, c);
}

/* The environment applies where the argument has no magic of its own. */
static void apply_environment(struct pathspec_item *it, const struct parse_ctx *c)
{
	if (c->env_literal)
		it->literal = true;
	if (c->env_icase)
		it->icase = true;
	if (c->env_glob && !it->literal)
		it->glob = true;
	if (c->env_noglob && !it->glob)
		it->literal = true;
}

static void find_wildcard(struct pathspec_item *it)
{
	size_t n = it->literal ? it->len : simple_length(it->match);

	it->nowildcard_len = n < it->prefix_len ? it->prefix_len : n;
}

static int parse_item(struct pathspec_item *it, const char *elt, const struct parse_ctx *c)
{
	const char *rest = elt;
	long prefix_len = -1;
	int ret = 0;

	it->original = xstrdup(elt);
	if (!*elt)
		return err_set(c->err, ERR_INVALID,
			       "empty string is not a valid pathspec. please use . instead if "
			       "you meant to match all paths");
	ret = parse_magic(it, &rest, &prefix_len, c);
	if (ret)
		return ret;
	apply_environment(it, c);
	if (it->literal && it->glob)
		return err_set(c->err, ERR_INVALID, "%s: 'literal' and 'glob' are incompatible",
			       elt);
	if (it->top || prefix_len >= 0) {
		it->match = xstrdup(rest);
		it->len = strlen(rest);
		if (prefix_len > 0)
			it->prefix_len = (size_t)prefix_len < it->len ? (size_t)prefix_len : it->len;
	} else {
		ret = resolve_path(it, rest, c);
	}
	if (!ret)
		find_wildcard(it);
	return ret;
}

/* ---- all of them ---- */

static bool env_bool(const char *name)
{
	const char *v = getenv(name);

	return v && config_parse_maybe_bool(v) == 1;
}

static int read_environment(struct parse_ctx *c)
{
	if (c->flags & PATHSPEC_LITERAL) { /* paths: the environment does not matter */
		c->env_literal = true;
		return 0;
	}
	c->env_literal = env_bool("GIT_LITERAL_PATHSPECS");
	c->env_glob = env_bool("GIT_GLOB_PATHSPECS");
	c->env_noglob = env_bool("GIT_NOGLOB_PATHSPECS");
	c->env_icase = env_bool("GIT_ICASE_PATHSPECS");
	if (c->env_glob && c->env_noglob)
		return err_set(c->err, ERR_INVALID,
			       "global 'glob' and 'noglob' pathspec settings are incompatible");
	if (c->env_literal && (c->env_glob || c->env_noglob || c->env_icase))
		return err_set(c->err, ERR_INVALID,
			       "global 'literal' pathspec setting is incompatible with all other "
			       "global pathspec settings");
	return 0;
}

/* Everything, or everything below the cwd. */
static void add_match_all(struct pathspec *ps, const struct parse_ctx *c)
{
	struct pathspec_item *it = &ps->items[ps->nr++];
	bool below = c->flags & PATHSPEC_PREFER_CWD;

	it->original = xstrdup(below && c->prefix ? c->prefix : "");
	it->match = xstrdup(it->original);
	it->len = it->nowildcard_len = it->prefix_len = strlen(it->match);
}

static void summarize(struct pathspec *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		const struct pathspec_item *it = &ps->items[i];

		ps->has_wildcard |= it->nowildcard_len < it->len || it->icase;
		ps->has_exclude |= it->exclude;
		ps->has_attr |= it->attr != NULL;
	}
}

static int parse_all(struct pathspec *ps, const char *const *argv, const struct parse_ctx *c)
{
	size_t nr = 0, excluded = 0;

	while (argv && argv[nr])
		nr++;
	CALLOC_ARRAY(ps->items, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		int ret;

		ps->nr++;
		ret = parse_item(&ps->items[i], argv[i], c);
		if (ret)
			return ret;
		excluded += ps->items[i].exclude;
	}
	if (nr ? excluded == nr : c->flags & PATHSPEC_PREFER_CWD && c->prefix_len)
		add_match_all(ps, c);
	summarize(ps);
	return 0;
}

int pathspec_parse(struct pathspec *ps, const char *prefix, const char *worktree,
		   const char *const *argv, unsigned flags, struct err *err)
{
	struct parse_ctx c = {
		.prefix = prefix,
		.prefix_len = prefix ? strlen(prefix) : 0,
		.worktree = worktree,
		.flags = flags,
		.err = err,
	};
	struct pathspec parsed = { 0 };
	int ret = read_environment(&c);

	if (!ret)
		ret = parse_all(&parsed, argv, &c);
	if (ret)
		pathspec_release(&parsed);
	else
		*ps = parsed;
	return ret;
}

void pathspec_release(struct pathspec *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		free(ps->items[i].original);
		free(ps->items[i].match);
		free(ps->items[i].attr);
	}
	free(ps->items);
	memset(ps, 0, sizeof(*ps));
}

/* ---- a path, or a revision? ---- */

bool path_arg_exists(const char *prefix, const char *arg)
{
	char *path;
	bool yes;

	if (skip_prefix(arg, ":/", &arg)) {
		if (!*arg)
			return true;
		prefix = NULL;
	} else if (skip_prefix(arg, ":!", &arg) || skip_prefix(arg, ":^", &arg)) {
		if (!*arg)
			return true;
	}
	path = xstrfmt("%s%s", prefix && !is_absolute_path(arg) ? prefix : "", arg);
	yes = *arg && file_exists(path);
	free(path);
	return yes;
}

static bool has_wildcard(const char *arg)
{
	for (; *arg; arg++) {
		if (*arg == '\\' && arg[1])
			arg++;
		else if (strchr("*?[", *arg))
			return true;
	}
	return false;
}

bool path_arg_is_pattern(const char *arg)
{
	return starts_with(arg, ":(") || !strcmp(arg, ":/") || has_wildcard(arg);
}

/* ---- from a file ---- */

static int read_lines(struct strvec *out, FILE *fp, const char *file, bool nul, struct err *err)
{
	struct strbuf line = STRBUF_INIT, plain = STRBUF_INIT;
	int ret = 0;

	while (!ret && !(nul ? strbuf_getdelim(&line, fp, 0) : strbuf_getline(&line, fp))) {
		const char *end;

		strbuf_reset(&plain);
		if (nul || line.buf[0] != '"')
			strvec_push(out, line.buf);
		else if (unquote_c_style(&plain, line.buf, &end) < 0 || *end)
			ret = err_set(err, ERR_INVALID, "line is badly quoted: %s", line.buf);
		else
			strvec_push(out, plain.buf);
	}
	if (!ret && ferror(fp))
		ret = err_set_errno(err, "could not read '%s'", file);
	strbuf_release(&line);
	strbuf_release(&plain);
	return ret;
}

int pathspec_read_file(struct strvec *out, const char *file, bool nul, struct err *err)
{
	bool is_stdin = !strcmp(file, "-");
	FILE *fp = is_stdin ? stdin : fopen(file, "re");
	int ret;

	if (!fp)
		return err_set_errno(err, "could not open '%s' for reading", file);
	ret = read_lines(out, fp, file, nul, err);
	if (!is_stdin)
		fclose(fp);
	return ret;
}
