/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "intake/pack-checks.h"
#include "util/alloc.h"

/* Bytes: more than a million names */
#define OID_LIST_MAX ((size_t)64 << 20)

/* ---- findings ---- */

PRINTF_LIKE(3, 4) static void print_finding(const struct pack_checks *c, bool is_error, const char *fmt, ...)
{
	struct strbuf msg = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&msg, fmt, ap);
	va_end(ap);
	c->print(is_error, msg.buf);
	strbuf_release(&msg);
}

static int report_finding(void *data, const struct object_id *oid, enum object_type type UNUSED,
			  enum fsck_severity severity, const char *msg_id, const char *text)
{
	struct pack_checks *c = data;
	bool is_error = severity >= FSCK_ERROR;

	if (c->collect_missing && !strcmp(msg_id, "gitmodulesMissing")) {
		strbuf_add_oid(&c->missing, oid);
		strbuf_addch(&c->missing, '\n');
		return 0;
	}
	print_finding(c, is_error, "object %s: %s: %s", oid_hex(oid), msg_id, text);
	return is_error;
}

void pack_checks_init(struct pack_checks *c, pack_checks_print_fn print)
{
	memset(c, 0, sizeof(*c));
	strbuf_init(&c->missing, 0);
	c->print = print;
	c->fsck.strict = true;
	c->fsck.report = report_finding;
	c->fsck.data = c;
	c->fsck.skip = &c->skip;
}

void pack_checks_release(struct pack_checks *c)
{
	fsck_options_release(&c->fsck);
	oidset_clear(&c->skip);
	strbuf_release(&c->missing);
}

/* ---- lists of objects to skip ---- */

static const struct hash_algo *algo_of_length(size_t hex_len)
{
	return hex_len == hash_sha256->hex_len ? hash_sha256 : hash_sha1;
}

/* The line is cut behind the name, which may be empty. */
static char *name_in_line(char *line)
{
	size_t len;

	line += strspn(line, " \t\r\v\f");
	len = strcspn(line, "#");
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	line[len] = '\0';
	return line;
}

static int add_names(struct oidset *out, char *text, const struct hash_algo *algo, struct err *err)
{
	struct object_id oid;

	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *name = name_in_line(line);

		if (!*name)
			continue;
		if (oid_from_hex(&oid, name, algo ? algo : algo_of_length(strlen(name))) < 0)
			return err_set(err, ERR_INVALID, "invalid object name: %s", name);
		oidset_insert(out, &oid);
	}
	return 0;
}

int oid_list_read(struct oidset *out, const char *path, const struct hash_algo *algo, bool must_exist, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc = read_file(&text, path, OID_LIST_MAX, &why);

	if (!rc)
		rc = add_names(out, text.buf, algo, err);
	else if (rc == ERR_NOT_FOUND && !must_exist)
		rc = 0;
	else
		err_set(err, rc, "could not open object name list: %s", path);
	err_release(&why);
	strbuf_release(&text);
	return rc;
}

/* ---- settings ---- */

static int read_entry(struct pack_checks *c, const struct config_entry *e, const char *id, const struct hash_algo *algo,
		      struct err *err)
{
	char *path = NULL;
	int rc;

	if (!e->value)
		return err_set(err, ERR_INVALID, "missing value for '%s'", e->key);
	if (!strcmp(id, "skiplist")) {
		rc = config_entry_path(e, &path, err);
		if (!rc)
			rc = oid_list_read(&c->skip, path, algo, true, err);
		free(path);
		return rc < 0 ? rc : 0;
	}
	if (fsck_msg_id_exists(id))
		return fsck_set_severity(&c->fsck, id, e->value, err);
	print_finding(c, false, "Skipping unknown msg id '%s'", id);
	return 0;
}

int pack_checks_read(struct pack_checks *c, const struct config_set *config, const char *prefix,
		     const struct hash_algo *algo, struct err *err)
{
	const char *id;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < config_nr(config); i++)
		if (skip_prefix(config_at(config, i)->key, prefix, &id))
			rc = read_entry(c, config_at(config, i), id, algo, err);
	return rc < 0 ? rc : 0;
}

static int parse_word(struct pack_checks *c, char *word, const struct hash_algo *algo, struct err *err)
{
	size_t len = strcspn(word, "=:");

	if (!word[len])
		return err_set(err, ERR_INVALID, "Missing '=': '%s'", word);
	word[len] = '\0';
	if (!strcasecmp(word, "skiplist"))
		return oid_list_read(&c->skip, word + len + 1, algo, true, err);
	return fsck_set_severity(&c->fsck, word, word + len + 1, err);
}

int pack_checks_parse(struct pack_checks *c, const char *list, const struct hash_algo *algo, struct err *err)
{
	char *copy = xstrdup(list);
	int rc = 0;

	for (char *save = NULL, *word = strtok_r(copy, " ,|", &save); rc >= 0 && word; word = strtok_r(NULL, " ,|", &save))
		rc = parse_word(c, word, algo, err);
	free(copy);
	return rc < 0 ? rc : 0;
}
