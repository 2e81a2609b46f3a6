/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed-refs: many refs in one file, gitrepository-layout(5).
 *
 *	# pack-refs with: peeled fully-peeled sorted
 *	OID SP NAME LF
 *	^OID LF			the object that the annotated tag above leads to
 *
 * The file is replaced as a whole and never changed in place, so a snapshot
 * maps it and stays right for as long as its reader needs it. A sorted
 * file (all that Git has written since 2017) is searched where it lies, no line is
 * looked at that the search does not touch. The lines of an unsorted one get an
 * index in memory first. Nothing in it is trusted: every line is checked when
 * it is met.
 */
#include "compat/posix.h"
#include "refs/files/files-internal.h"
#include "fs/file.h"
#include "refs/files/packed-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"
#include <sys/mman.h>

enum peel_state { PEEL_NONE, PEEL_TAGS, PEEL_FULL };

struct packed_refs {
	unsigned refcount;
	const struct hash_algo *algo;
	char *path;
	const char *buf; /* not NUL-terminated */
	size_t len;
	size_t start; /* of the first line after the header */
	bool mapped;
	enum peel_state peel;
	/* Unsorted files: where each entry begins, in order of names. */
	size_t *order;
	size_t order_nr;
	size_t last; /* where the last search in a sorted file ended; 0: there was none */
	/* What the file looked like, to see that it is still the same. */
	bool exists;
	struct stat st;
};

/* Below this, a read is cheaper than a mapping. */
#define MAP_MIN (64 * 1024)

/* ---- lines ---- */

static int bad_line(const struct packed_refs *p, size_t pos, struct err *err)
{
	const char *s = p->buf + pos;
	size_t left = p->len - pos, n = 0;
	char shown[81];

	while (n < left && n < sizeof(shown) - 1 && s[n] != '\n') {
		shown[n] = s[n] ? s[n] : '?';
		n++;
	}
	shown[n] = '\0';
	return err_set(err, ERR_CORRUPT, "unexpected line in %s: %s", p->path, shown);
}

static const char *line_end(const struct packed_refs *p, size_t pos)
{
	return memchr(p->buf + pos, '\n', p->len - pos); /* the file ends in LF */
}

/* The name of the entry that begins at pos, and the end of its line; NULL: it is damaged. */
static const char *parse_name(const struct packed_refs *p, size_t pos, struct packed_entry *out)
{
	const size_t hex = p->algo->hex_len;
	const char *s = p->buf + pos, *eol = line_end(p, pos);

	if (!eol || (size_t)(eol - s) < hex + 2 || s[hex] != ' ')
		return NULL;
	out->name = s + hex + 1;
	out->name_len = eol - out->name;
	return eol;
}

/* The entry that begins at pos, with its peeled line; *next after both. */
static int parse_entry(const struct packed_refs *p, size_t pos, struct packed_entry *out,
		       size_t *next, struct err *err)
{
	const size_t hex = p->algo->hex_len;
	struct packed_entry e;
	const char *eol;

	eol = parse_name(p, pos, &e);
	if (!eol || oid_parse_digits(&e.oid, p->buf + pos, p->algo) ||
	    memchr(e.name, '\0', e.name_len))
		return bad_line(p, pos, err);
	e.peeled = p->algo->null_oid;
	e.peel_known = p->peel == PEEL_FULL;
	if (p->peel == PEEL_TAGS && e.name_len > 10 && !memcmp(e.name, "refs/tags/", 10))
		e.peel_known = true;

	pos = eol + 1 - p->buf;
	if (pos < p->len && p->buf[pos] == '^') {
		eol = line_end(p, pos);
		if (!eol || (size_t)(eol - (p->buf + pos)) != hex + 1 ||
		    oid_parse_digits(&e.peeled, p->buf + pos + 1, p->algo))
			return bad_line(p, pos, err);
		e.peel_known = true;
		pos = eol + 1 - p->buf;
	}
	*out = e;
	*next = pos;
	return 0;
}

/* Where the entry ends whose line ends at eol. */
static size_t entry_end(const struct packed_refs *p, const char *eol)
{
	size_t pos = eol + 1 - p->buf;

	if (pos < p->len && p->buf[pos] == '^') {
		eol = line_end(p, pos);
		pos = eol ? (size_t)(eol + 1 - p->buf) : p->len;
	}
	return pos;
}

static int name_cmp(const struct packed_entry *e, const char *name, size_t len)
{
	size_t n = e->name_len < len ? e->name_len : len;
	int c = memcmp(e->name, name, n);

	if (c)
		return c;
	return e->name_len < len ? -1 : e->name_len > len;
}

/* ---- opening ---- */

static bool has_word(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word), i;

	for (i = 0; i + n <= len; i++)
		if (!memcmp(s + i, word, n) && (!i || s[i - 1] == ' ') &&
		    (i + n == len || s[i + n] == ' '))
			return true;
	return false;
}

/* "# pack-refs with: …"; *sorted: does the file say that it is? */
static int parse_header(struct packed_refs *p, bool *sorted, struct err *err)
{
	static const char head[] = "# pack-refs with:";
	const size_t head_len = sizeof(head) - 1;
	const char *eol, *traits;
	size_t len;

	*sorted = false;
	if (!p->len || p->buf[0] != '#')
		return 0;
	eol = line_end(p, 0);
	if ((size_t)(eol - p->buf) < head_len || memcmp(p->buf, head, head_len))
		return bad_line(p, 0, err);
	traits = p->buf + head_len;
	len = eol - traits;
	*sorted = has_word(traits, len, "sorted");
	if (has_word(traits, len, "fully-peeled"))
		p->peel = PEEL_FULL;
	else if (has_word(traits, len, "peeled"))
		p->peel = PEEL_TAGS;
	p->start = eol + 1 - p->buf;
	return 0;
}

struct named_place {
	const char *name;
	size_t name_len, pos;
};

static int named_place_cmp(const void *va, const void *vb)
{
	const struct named_place *a = va, *b = vb;
	struct packed_entry e = { .name = a->name, .name_len = a->name_len };

	return name_cmp(&e, b->name, b->name_len);
}

/*
 * A file that does not claim to be sorted: find out, and index it if it is not.
 * Cost: one pass. A name that comes twice would make answers depend on the
 * way of asking: refused.
 */
static int index_unsorted(struct packed_refs *p, struct err *err)
{
	struct named_place *places = NULL;
	size_t pos, next, nr = 0, alloc = 0, i;
	struct packed_entry e;
	bool sorted = true;
	int rc = 0;

	for (pos = p->start; pos < p->len; pos = next) {
		rc = parse_entry(p, pos, &e, &next, err);
		if (rc < 0)
			goto out;
		ALLOC_GROW(places, nr + 1, alloc);
		places[nr++] = (struct named_place){ e.name, e.name_len, pos };
		if (nr > 1 && named_place_cmp(&places[nr - 2], &places[nr - 1]) >= 0)
			sorted = false;
	}
	if (sorted)
		goto out;
	qsort(places, nr, sizeof(*places), named_place_cmp);
	for (i = 1; i < nr; i++)
		if (!named_place_cmp(&places[i - 1], &places[i])) {
			rc = err_set(err, ERR_CORRUPT, "%s names '%.*s' twice", p->path,
				     (int)places[i].name_len, places[i].name);
			goto out;
		}
	ALLOC_ARRAY(p->order, nr);
	for (i = 0; i < nr; i++)
		p->order[i] = places[i].pos;
	p->order_nr = nr;
out:
	free(places);
	return rc;
}

static int interpret(struct packed_refs *p, struct err *err)
{
	bool sorted;
	int rc;

	if (!p->len)
		return 0;
	if (p->buf[p->len - 1] != '\n') {
		size_t at = p->len;

		while (at && p->buf[at - 1] != '\n')
			at--;
		return err_set(err, ERR_CORRUPT, "unterminated line in %s: %.*s", p->path,
			       (int)(p->len - at < 80 ? p->len - at : 80), p->buf + at);
	}
	rc = parse_header(p, &sorted, err);
	if (!rc && !sorted)
		rc = index_unsorted(p, err);
	return rc;
}

static struct packed_refs *packed_new(const struct hash_algo *algo, const char *path)
{
	struct packed_refs *p;

	CALLOC_ARRAY(p, 1);
	p->refcount = 1;
	p->algo = algo;
	p->path = xstrdup(path);
	return p;
}

void packed_refs_put(struct packed_refs *p)
{
	if (!p || --p->refcount)
		return;
	if (p->mapped)
		munmap((void *)p->buf, p->len);
	else
		free((void *)p->buf);
	free(p->order);
	free(p->path);
	free(p);
}

static int load(struct packed_refs *p, int fd, struct err *err)
{
	void *buf;
	ssize_t n;

	p->len = p->st.st_size;
	if (!p->len)
		return 0;
	if (p->len >= MAP_MIN) {
		buf = mmap(NULL, p->len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (buf != MAP_FAILED) {
			p->buf = buf;
			p->mapped = true;
			return 0;
		}
	}
	buf = try_alloc(p->len);
	if (!buf)
		return err_set(err, ERR_TOO_BIG, "no memory to read '%s'", p->path);
	p->buf = buf;
	n = read_in_full(fd, buf, p->len);
	if (n < 0)
		return err_set_errno(err, "unable to read '%s'", p->path);
	p->len = n;
	return 0;
}

static int open_packed(const struct ref_store *rs, const char *path,
		       struct packed_refs **out, struct err *err)
{
	struct packed_refs *p = packed_new(rs->algo, path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;

	if (fd < 0 && errno != ENOENT) {
		rc = err_set_errno(err, "unable to open '%s'", path);
	} else if (fd >= 0) {
		p->exists = true;
		if (fstat(fd, &p->st) < 0)
			rc = err_set_errno(err, "unable to stat '%s'", path);
		else if (!S_ISREG(p->st.st_mode))
			rc = err_set(err, ERR_CORRUPT, "'%s' is not a regular file", path);
		if (!rc)
			rc = load(p, fd, err);
		close(fd);
		if (!rc)
			rc = interpret(p, err);
	}
	if (rc < 0)
		packed_refs_put(p);
	else
		*out = p;
	return rc;
}

static bool is_current(const struct packed_refs *p, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return !p->exists && errno == ENOENT;
	return p->exists && is_same_state(&st, &p->st) &&
	       st.st_ctime == p->st.st_ctime && ST_CTIME_NSEC(st) == ST_CTIME_NSEC(p->st);
}

int packed_refs_get(struct ref_store *rs, struct packed_refs **out, struct err *err)
{
	char *path = xstrfmt("%s/packed-refs", files_store(rs)->commondir);
	struct packed_refs *p = NULL;
	int rc = 0;

	if (!files_store(rs)->packed || !is_current(files_store(rs)->packed, path)) {
		rc = open_packed(rs, path, &p, err);
		if (!rc) {
			packed_refs_put(files_store(rs)->packed);
			files_store(rs)->packed = p;
		}
	}
	if (!rc) {
		files_store(rs)->packed->refcount++;
		*out = files_store(rs)->packed;
	}
	free(path);
	return rc;
}

size_t packed_refs_size(const struct packed_refs *p)
{
	return p->len;
}

int packed_refs_parse(struct packed_refs **out, const char *buf, size_t len,
		      const char *path, const struct hash_algo *algo, struct err *err)
{
	struct packed_refs *p = packed_new(algo, path);
	int rc;

	p->exists = true;
	p->buf = xmemdup(buf, len);
	p->len = len;
	rc = interpret(p, err);
	if (rc < 0)
		packed_refs_put(p);
	else
		*out = p;
	return rc;
}

/* ---- searching ---- */

/* The place of the first byte of the entry that the byte at pos is part of. */
static size_t entry_begin(const struct packed_refs *p, size_t lo, size_t pos)
{
	for (;;) {
		while (pos > lo && p->buf[pos - 1] != '\n')
			pos--;
		if (pos == lo || p->buf[pos] != '^')
			return pos;
		pos--; /* a peeled line belongs to the one above */
	}
}

/* An entry begins at pos: the places of names not less than `name` go on to the left or the right. */
static bool narrow(const struct packed_refs *p, size_t pos, const char *name, size_t len,
		   size_t *lo, size_t *hi)
{
	struct packed_entry e;
	const char *eol = parse_name(p, pos, &e);

	if (!eol)
		return false;
	if (name_cmp(&e, name, len) >= 0)
		*hi = pos;
	else
		*lo = entry_end(p, eol);
	return true;
}

/*
 * Many names are looked up in their order, and beside a large file the next one is often where
 * the last search ended, or one entry further: that costs two lines instead of twenty.
 * Damage is left to the search.
 */
static void narrow_by_last(const struct packed_refs *p, const char *name, size_t len, size_t *lo,
			   size_t *hi)
{
	const size_t at = p->last, start = *lo;

	if (!at || (at < p->len && !narrow(p, at, name, len, lo, hi)))
		return;
	if (*lo > start) {
		if (*lo < *hi)
			narrow(p, *lo, name, len, lo, hi);
	} else if (at > start) {
		narrow(p, entry_begin(p, start, at - 1), name, len, lo, hi);
	}
}

/*
 * First entry whose name is not less than `name`: its place in bytes, or in
 * p->order if there is one.
 */
static int lower_bound(struct packed_refs *p, const char *name, size_t *out, struct err *err)
{
	size_t lo = p->order ? 0 : p->start;
	size_t hi = p->order ? p->order_nr : p->len;
	size_t len = strlen(name), mid, pos;
	struct packed_entry e;
	const char *eol;

	if (!p->order)
		narrow_by_last(p, name, len, &lo, &hi);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (!p->order)
			mid = entry_begin(p, lo, mid);
		pos = p->order ? p->order[mid] : mid;
		eol = parse_name(p, pos, &e);
		if (!eol)
			return bad_line(p, pos, err);
		if (name_cmp(&e, name, len) >= 0)
			hi = mid;
		else
			lo = p->order ? mid + 1 : entry_end(p, eol);
	}
	*out = p->last = lo;
	return 0;
}

int packed_cursor_start(struct packed_cursor *c, struct packed_refs *p,
			const char *from, struct err *err)
{
	c->p = p;
	c->end = p->order ? p->order_nr : p->len;
	return lower_bound(p, from, &c->pos, err);
}

int packed_cursor_next(struct packed_cursor *c, struct packed_entry *out, struct err *err)
{
	size_t next;
	int rc;

	if (c->pos >= c->end)
		return 0;
	rc = parse_entry(c->p, c->p->order ? c->p->order[c->pos] : c->pos, out, &next, err);
	if (rc < 0)
		return rc;
	c->pos = c->p->order ? c->pos + 1 : next;
	return 1;
}

int packed_refs_lookup(struct packed_refs *p, const char *name,
		       struct packed_entry *out, struct err *err)
{
	struct packed_cursor c;
	struct packed_entry e;
	int rc = packed_cursor_start(&c, p, name, err);

	if (!rc)
		rc = packed_cursor_next(&c, &e, err);
	if (rc <= 0 || name_cmp(&e, name, strlen(name)))
		return rc < 0 ? rc : 0;
	*out = e;
	return 1;
}

/* ---- writing ---- */

struct packed_out {
	struct strbuf buf;
	int fd;
	const char *what;
};

static int put_entry(struct packed_out *o, const struct object_id *oid,
		     const char *name, size_t name_len,
		     const struct object_id *peeled, struct err *err)
{
	int rc = 0;

	strbuf_add_oid(&o->buf, oid);
	strbuf_addch(&o->buf, ' ');
	strbuf_add(&o->buf, name, name_len);
	strbuf_addch(&o->buf, '\n');
	if (peeled && !oid_is_null(peeled)) {
		strbuf_addch(&o->buf, '^');
		strbuf_add_oid(&o->buf, peeled);
		strbuf_addch(&o->buf, '\n');
	}
	if (o->buf.len >= 64 * 1024) {
		rc = write_in_full(o->fd, o->buf.buf, o->buf.len, o->what, err);
		strbuf_reset(&o->buf);
	}
	return rc;
}

static void put_header(struct packed_out *o, enum peel_state peel)
{
	strbuf_addstr(&o->buf, peel == PEEL_FULL ? "# pack-refs with: peeled fully-peeled sorted \n" :
			       peel == PEEL_TAGS ? "# pack-refs with: peeled sorted \n" :
						   "# pack-refs with: sorted \n");
}

#define QUICK_SECONDS 2
#define DISTINCT_MAX 100

bool packed_refs_distinct_time(const struct packed_refs *p, time_t now, time_t *mtime)
{
	if (!p->exists || p->st.st_ctime < now - QUICK_SECONDS)
		return false;
	*mtime = p->st.st_mtime > now || p->st.st_mtime <= now - DISTINCT_MAX ? now : p->st.st_mtime - 1;
	return true;
}

/*
 * What the file does not say: append the peeled object (null: none) of each entry for which it is unknown, in order.
 * *peel: what can be promised then about all entries.
 */
static int find_peeled(const struct ref_store *rs, struct packed_refs *p, struct oid_array *out,
		       enum peel_state *peel, struct err *err)
{
	struct packed_cursor c;
	struct packed_entry e;
	int rc;

	*peel = PEEL_FULL;
	if (p->start == p->len || p->peel == PEEL_FULL)
		return 0;
	rc = packed_cursor_start(&c, p, "", err);
	while (!rc && (rc = packed_cursor_next(&c, &e, err)) > 0) {
		rc = 0;
		if (e.peel_known)
			continue;
		if (!ref_peel(rs, &e.oid, &e.peeled)) {
			*peel = p->peel;
			e.peeled = p->algo->null_oid;
		}
		oid_array_append(out, &e.peeled);
	}
	return rc;
}

int packed_refs_write(const struct ref_store *rs, struct packed_refs *p,
		      const struct packed_change *changes, size_t nr, int fd, const char *what,
		      struct err *err)
{
	struct packed_out o = { STRBUF_INIT, fd, what };
	struct oid_array peeled = OID_ARRAY_INIT;
	struct packed_entry e;
	enum peel_state peel;
	struct packed_cursor c;
	size_t i, next_peeled = 0;
	int more, cmp, rc = find_peeled(rs, p, &peeled, &peel, err);

	if (rc < 0)
		goto out;
	for (i = 0; i < nr && peel != PEEL_NONE; i++)
		if (changes[i].peel_unknown)
			peel = PEEL_NONE;
	/* "fully-peeled" promises something about every line: keep the known peeled objects. */
	put_header(&o, peel);
	i = 0;
	rc = packed_cursor_start(&c, p, "", err);
	more = rc < 0 ? rc : packed_cursor_next(&c, &e, err);
	while (!rc && (more > 0 || (!more && i < nr))) {
		cmp = !more ? 1 : i == nr ? -1 :
		      name_cmp(&e, changes[i].name, strlen(changes[i].name));
		if (cmp <= 0 && !e.peel_known && next_peeled < peeled.nr)
			e.peeled = peeled.oid[next_peeled++];
		if (cmp < 0) {
			rc = put_entry(&o, &e.oid, e.name, e.name_len, &e.peeled, err);
		} else {
			if (!oid_is_null(&changes[i].oid))
				rc = put_entry(&o, &changes[i].oid, changes[i].name,
					       strlen(changes[i].name),
					       &changes[i].peeled, err);
			i++;
		}
		if (cmp <= 0 && !rc)
			more = packed_cursor_next(&c, &e, err);
	}
	if (!rc && more < 0)
		rc = more;
	if (!rc)
		rc = write_in_full(fd, o.buf.buf, o.buf.len, what, err);
out:
	oid_array_clear(&peeled);
	strbuf_release(&o.buf);
	return rc;
}
