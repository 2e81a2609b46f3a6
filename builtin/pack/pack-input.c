/* SPDX-License-Identifier: GPL-2.0-only */
/* What index-pack, unpack-objects and verify-pack share. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/fsck/fsck.h"
#include "builtin/pack/pack-input.h"
#include "util/alloc.h"

/* ---- checks of content ---- */

static int report_finding(void *data, const struct object_id *oid, enum object_type type UNUSED,
			  enum fsck_severity severity, const char *msg_id, const char *text)
{
	struct pack_checks *c = data;

	if (c->collect_missing && !strcmp(msg_id, "gitmodulesMissing")) {
		strbuf_add_oid(&c->missing, oid);
		strbuf_addch(&c->missing, '\n');
		return 0;
	}
	if (severity < FSCK_ERROR) {
		warning("object %s: %s: %s", oid_hex(oid), msg_id, text);
		return 0;
	}
	error("object %s: %s: %s", oid_hex(oid), msg_id, text);
	return 1;
}

void pack_checks_init(struct pack_checks *c, bool collect_missing)
{
	memset(c, 0, sizeof(*c));
	strbuf_init(&c->missing, 0);
	c->collect_missing = collect_missing;
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

static void parse_check(struct pack_checks *c, char *word, const struct hash_algo *algo)
{
	size_t len = strcspn(word, "=:");
	struct err err = ERR_INIT;

	if (!word[len])
		die("Missing '=': '%s'", word);
	word[len] = 0;
	if (!strcasecmp(word, "skiplist"))
		fsck_read_oid_list(word + len + 1, algo, &c->skip, true);
	else if (fsck_set_severity(&c->fsck, word, word + len + 1, &err) < 0)
		die_err(&err);
}

void pack_checks_parse(struct pack_checks *c, const char *list, const struct hash_algo *algo)
{
	char *copy = xstrdup(list);

	for (char *save = NULL, *word = strtok_r(copy, " ,|", &save); word;
	     word = strtok_r(NULL, " ,|", &save))
		parse_check(c, word, algo);
	free(copy);
}

/* ---- the end ---- */

int pack_check_end(const struct pack_receive *rx, int fd, struct err *err)
{
	struct stat st;
	size_t rest;

	(void)pack_receive_rest(rx, &rest);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    lseek(fd, 0, SEEK_CUR) - (off_t)rest != st.st_size)
		return err_set(err, ERR_CORRUPT, "pack has junk at the end");
	return 0;
}

/* ---- progress ---- */

static const char *phase_title(const struct pack_progress *p, enum pack_receive_phase phase)
{
	switch (phase) {
	case PACK_RECEIVE_READING:
		return p->reading;
	case PACK_RECEIVE_UNPACKING:
		return p->unpacking ? p->unpacking : p->reading;
	case PACK_RECEIVE_RESOLVING:
		return p->resolving;
	case PACK_RECEIVE_DONE:
		break;
	}
	return NULL;
}

void pack_progress_update(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct pack_progress *p = data;
	const char *title = phase_title(p, phase);

	if (phase != p->phase)
		progress_stop(&p->now);
	if (!p->now && title)
		p->now = p->forced ? progress_start_forced(title, total) : progress_start(title, total);
	p->phase = phase;
	progress_update_bytes(p->now, done, phase == PACK_RECEIVE_RESOLVING ? 0 : bytes);
}

void pack_progress_stop(struct pack_progress *p)
{
	progress_stop(&p->now);
}

/* ---- statistics ---- */

struct statistics {
	bool objects;
	uint64_t *chains; /* objects by the length of their chains */
	size_t nr, alloc;
};

static int count_object(void *data, const struct received_object *o)
{
	struct statistics *s = data;

	while (s->nr <= o->depth) {
		ALLOC_GROW(s->chains, s->nr + 1, s->alloc);
		s->chains[s->nr++] = 0;
	}
	s->chains[o->depth]++;
	if (!s->objects)
		return 0;
	printf("%s %-6s %" PRIu64 " %" PRIu64 " %" PRIu64, oid_hex(&o->oid), object_type_name(o->type),
	       o->size, o->packed_bytes, o->offset);
	if (o->depth)
		printf(" %u %s", o->depth, oid_hex(&o->base));
	putchar('\n');
	return 0;
}

static const char *objects_word(uint64_t n)
{
	return n == 1 ? "object" : "objects";
}

void print_pack_statistics(struct pack_receive *rx, bool objects)
{
	struct statistics s = { .objects = objects };
	struct err err = ERR_INIT;

	if (pack_receive_foreach(rx, count_object, &s, &err) < 0)
		die_err(&err);
	if (s.nr && s.chains[0])
		printf("non delta: %" PRIu64 " %s\n", s.chains[0], objects_word(s.chains[0]));
	for (size_t i = 1; i < s.nr; i++)
		if (s.chains[i])
			printf("chain length = %zu: %" PRIu64 " %s\n", i, s.chains[i],
			       objects_word(s.chains[i]));
	free(s.chains);
}
