/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/cli.h"
#include "cli/list-format.h"
#include "util/alloc.h"

static bool hex_pair(const char *p, int *out)
{
	int hi = hex_value((unsigned char)p[0]);
	int lo = hi < 0 ? -1 : hex_value((unsigned char)p[1]);

	*out = hi << 4 | lo;
	return lo >= 0;
}

/* p points behind the '%'. Sets *end behind the field that was expanded. */
static int expand_one(struct strbuf *out, const char *p, const char *command,
		      list_format_atom_fn atom, void *data, const char **end, struct err *err)
{
	const char *close;
	char *name;
	int byte, ret;

	if (*p == '%' || *p == 'n') {
		strbuf_addch(out, *p == 'n' ? '\n' : '%');
		*end = p + 1;
		return 0;
	}
	if (*p == 'x' && hex_pair(p + 1, &byte)) {
		strbuf_addch(out, byte);
		*end = p + 3;
		return 0;
	}
	if (*p != '(')
		return err_set(err, ERR_INVALID,
			       "bad %s format: element '%s' does not start with '('", command, p);
	close = strchr(p, ')');
	if (!close)
		return err_set(err, ERR_INVALID,
			       "bad %s format: element '%s' does not end in ')'", command, p);
	name = xmemdupz(p + 1, (size_t)(close - p - 1));
	ret = atom(data, out, name, err);
	free(name);
	*end = close + 1;
	return ret;
}

int list_format_expand(struct strbuf *out, const char *format, const char *command,
		       list_format_atom_fn atom, void *data, struct err *err)
{
	const char *p = format, *percent;

	while ((percent = strchr(p, '%'))) {
		int ret;

		strbuf_add(out, p, (size_t)(percent - p));
		ret = expand_one(out, percent + 1, command, atom, data, &p, err);
		if (ret)
			return ret;
	}
	strbuf_addstr(out, p);
	return 0;
}

int list_parse_abbrev(const struct option *opt, const char *arg, int unset)
{
	int *value = opt->value;
	char *end;
	long v;

	if (unset || !arg) {
		*value = unset ? 0 : -1;
		return 0;
	}
	v = strtol(arg, &end, 10);
	if (end == arg || *end)
		return error("option `%s' expects a numerical value", opt->long_name);
	*value = !v ? 0 : v < 4 ? 4 : v > HASH_MAX_HEX ? HASH_MAX_HEX : (int)v;
	return 0;
}
