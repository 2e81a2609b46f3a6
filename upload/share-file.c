/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <fcntl.h>
#include <sys/mman.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "fs/file-lock.h"
#include "upload/share-file.h"
#include "util/clock.h"
#include "write-or-die.h"

/* ---- the first page ---- */

#define PAGE_BYTES 4096
#define MESSAGE_MAX 1000
#define TIME_DIGITS 20

static const char magic[16] = "shared pack 2\n";
/*
 * No two words begin with the same letter, so that a half-written word is never mistaken for
 * another one.
 */
static const char state_words[][9] = {
	[SHARE_GROWING] = "growing ", [SHARE_DONE] = "done    ", [SHARE_FAILED] = "failed  ",
	[SHARE_FULL] = "no room ", [SHARE_BUSY] = "busy    ",
};

struct page {
	char magic[sizeof(magic)];
	char boot[OS_BOOT_ID_LEN + 4];
	char kind[HASH_MAX_HEX + 8]; /* hex */
	char state[8];
	uint32_t word;	/* followers wait for a change of it */
	uint32_t filler; /* process id, for users and tests */
	char made[TIME_DIGITS]; /* nanoseconds since 1970 */
	char used[TIME_DIGITS];
	char message[MESSAGE_MAX];
};

static off_t place_of(uint64_t at)
{
	return (off_t)(at + PAGE_BYTES);
}

static ssize_t read_some(int fd, void *p, size_t len, off_t at)
{
	return (ssize_t)RETRY_EINTR(sys->pread(fd, p, len, at));
}

static int write_state(int fd, enum share_state state)
{
	return pwrite_in_full(fd, state_words[state], sizeof(((struct page *)0)->state),
			      offsetof(struct page, state), "the state of a shared pack", NULL);
}

static int write_word(int fd, uint32_t word)
{
	return pwrite_in_full(fd, &word, sizeof(word), offsetof(struct page, word),
			      "the state of a shared pack", NULL);
}

int64_t share_now_ns(void)
{
	struct timespec ts;

	/* time() may lag behind the clock that times of files come from: they would lie in the future. */
	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * NS_PER_SECOND + ts.tv_nsec;
}

/* Times are text, so that a half-written time is only a wrong time. */
static void format_time(char out[TIME_DIGITS], int64_t ns)
{
	char text[TIME_DIGITS + 1];

	snprintf(text, sizeof(text), "%0*" PRId64, TIME_DIGITS, ns < 0 ? 0 : ns);
	memcpy(out, text, TIME_DIGITS);
}

static int64_t parse_time(const char text[TIME_DIGITS])
{
	int64_t ns = 0;

	for (int i = 0; i < TIME_DIGITS; i++) {
		if (!isdigit((unsigned char)text[i]) || ns > (INT64_MAX - 9) / 10)
			return 0;
		ns = ns * 10 + (text[i] - '0');
	}
	return ns;
}

static void write_time(int fd, size_t at, int64_t ns)
{
	char text[TIME_DIGITS];

	format_time(text, ns);
	(void)!pwrite_in_full(fd, text, sizeof(text), (off_t)at, "the time of a shared pack", NULL);
}

void share_file_note_use(int fd, int64_t when_ns)
{
	write_time(fd, offsetof(struct page, used), when_ns);
}

void share_file_note_made(int fd, int64_t when_ns)
{
	write_time(fd, offsetof(struct page, made), when_ns);
}

void share_file_times(int fd, int64_t *made_ns, int64_t *used_ns)
{
	char text[2 * TIME_DIGITS];
	bool there = read_some(fd, text, sizeof(text), offsetof(struct page, made)) == (ssize_t)sizeof(text);

	*made_ns = there ? parse_time(text) : 0;
	*used_ns = there ? parse_time(text + TIME_DIGITS) : 0;
}

/* Returns SHARE_GROWING for any other text: the word is being written. */
static enum share_state state_of(const char word[8])
{
	for (size_t i = 0; i < ARRAY_SIZE(state_words); i++)
		if (!memcmp(word, state_words[i], 8))
			return (enum share_state)i;
	return SHARE_GROWING;
}

static bool read_page(int fd, struct page *out)
{
	char boot[OS_BOOT_ID_LEN + 1];

	return read_some(fd, out, sizeof(*out), 0) == (ssize_t)sizeof(*out) &&
	       !memcmp(out->magic, magic, sizeof(magic)) && os_boot_id(boot) &&
	       !strncmp(out->boot, boot, sizeof(out->boot));
}

/* ---- locks ---- */

enum { FILLER_BYTE, FOLLOWER_BYTE };

bool share_file_is_filled(int fd)
{
	return file_lock_query(fd, F_WRLCK, FILLER_BYTE, 1) == 1;
}

bool share_file_is_read(int fd)
{
	return file_lock_query(fd, F_WRLCK, FOLLOWER_BYTE, 1) == 1;
}

bool share_file_is_followed(const struct share_file *f)
{
	return share_file_is_read(f->fd);
}

bool share_file_is_good(int fd)
{
	struct page page;

	return read_page(fd, &page) && state_of(page.state) == SHARE_DONE;
}

/* ---- both ---- */

void share_file_open(struct share_file *f, int fd)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	f->fd = fd;
	f->page = page == MAP_FAILED ? NULL : page;
}

int share_file_detach(struct share_file *f)
{
	int fd = f->fd;

	if (f->page)
		munmap(f->page, PAGE_BYTES);
	*f = (struct share_file)SHARE_FILE_INIT;
	return fd;
}

void share_file_release(struct share_file *f)
{
	int fd = share_file_detach(f);

	if (fd >= 0)
		sys->close(fd);
}

static const uint32_t *word_of(const struct share_file *f)
{
	return f->page ? (const uint32_t *)((char *)f->page + offsetof(struct page, word)) : NULL;
}

/* ---- the filler ---- */

/* Writes the whole page, so that later changes of it need no new space on the disk. */
int share_file_begin(int fd, const struct object_id *kind, struct err *err)
{
	union {
		struct page page;
		char all[PAGE_BYTES];
	} head;
	int rc;

	memset(&head, 0, sizeof(head));
	memcpy(head.page.magic, magic, sizeof(magic));
	memcpy(head.page.state, state_words[SHARE_GROWING], sizeof(head.page.state));
	oid_to_hex_r(head.page.kind, kind);
	format_time(head.page.made, share_now_ns());
	format_time(head.page.used, share_now_ns());
	if (!os_boot_id(head.page.boot))
		return err_set(err, ERR_UNSUPPORTED, "the system does not tell its boot id");
	rc = pwrite_in_full(fd, &head, sizeof(head), 0, "a shared pack", err);
	if (!rc && file_lock_set(fd, F_WRLCK, FILLER_BYTE, 1))
		rc = err_set_errno(err, "cannot lock a shared pack");
	return rc;
}

void share_file_fill(struct share_file *f, int fd)
{
	uint32_t pid = (uint32_t)getpid();

	share_file_open(f, fd);
	(void)!pwrite_in_full(fd, &pid, sizeof(pid), offsetof(struct page, filler), "a shared pack",
			      NULL);
}

int share_file_write(struct share_file *f, uint64_t at, const void *p, size_t len,
		     struct err *err)
{
	return pwrite_in_full(f->fd, p, len, place_of(at), "a shared pack", err);
}

void share_file_grew(struct share_file *f)
{
	uint32_t word;

	if (read_some(f->fd, &word, sizeof(word), offsetof(struct page, word)) == sizeof(word))
		(void)write_word(f->fd, word + 1);
	os_word_wake(word_of(f));
}

void share_file_end(struct share_file *f, enum share_state state, const char *message)
{
	size_t len = strlen(message);

	(void)!pwrite_in_full(f->fd, message, len < MESSAGE_MAX ? len : MESSAGE_MAX - 1,
			      offsetof(struct page, message), "a shared pack", NULL);
	share_file_note_made(f->fd, share_now_ns());
	(void)!write_state(f->fd, state);
	share_file_grew(f);
}

/* ---- followers ---- */

int share_file_follow(int fd, const struct object_id *kind, struct err *err)
{
	char hex[HASH_MAX_HEX + 1];
	struct page page;
	struct stat st;

	oid_to_hex_r(hex, kind);
	if (!read_page(fd, &page) || strncmp(page.kind, hex, sizeof(page.kind)))
		return err_set(err, ERR_NOT_FOUND, "not a shared pack of this kind");
	if (file_lock_set(fd, F_RDLCK, FOLLOWER_BYTE, 1))
		return err_set_errno(err, "cannot lock a shared pack");
	/* A clean-up that did not see our lock has removed the file: it no longer counts. */
	return !fstat(fd, &st) && st.st_nlink ? 0
		: err_set(err, ERR_NOT_FOUND, "the shared pack has gone");
}

/*
 * The state comes first: what it says of the size holds. A filler that is gone without a last word has died; but
 * the word may have come since it was read.
 */
static int read_state(const struct share_file *f, struct share_status *out)
{
	char head[sizeof(((struct page *)0)->state) + sizeof(uint32_t)];

	if (read_some(f->fd, head, sizeof(head), offsetof(struct page, state)) !=
	    (ssize_t)sizeof(head))
		return -1;
	out->state = state_of(head);
	memcpy(&out->word, head + sizeof(((struct page *)0)->state), sizeof(out->word));
	return 0;
}

int share_file_status(const struct share_file *f, struct share_status *out, struct err *err)
{
	struct stat st;
	int rc = read_state(f, out);

	if (!rc && out->state == SHARE_GROWING && !share_file_is_filled(f->fd)) {
		rc = read_state(f, out);
		if (!rc && out->state == SHARE_GROWING)
			out->state = SHARE_DEAD;
	}
	if (rc < 0 || fstat(f->fd, &st))
		return err_set(err, ERR_IO, "cannot read a shared pack");
	if (st.st_size < PAGE_BYTES)
		return err_set(err, ERR_CORRUPT, "a shared pack has become shorter");
	out->bytes = (uint64_t)st.st_size - PAGE_BYTES;
	return 0;
}

void share_file_wait(const struct share_file *f, const struct share_status *seen,
		     int64_t timeout_ms)
{
	os_word_wait(word_of(f), seen->word, timeout_ms);
}

int share_file_read(const struct share_file *f, uint64_t at, void *p, size_t len,
		    struct err *err)
{
	ssize_t n = pread_in_full(f->fd, p, len, place_of(at));

	if (n < 0)
		return err_set_errno(err, "cannot read a shared pack");
	return (size_t)n == len ? 0
		: err_set(err, ERR_CORRUPT, "a shared pack has become shorter");
}

void share_file_message(const struct share_file *f, struct strbuf *out)
{
	char text[MESSAGE_MAX];
	ssize_t n = read_some(f->fd, text, sizeof(text), offsetof(struct page, message));

	if (n > 0)
		strbuf_add(out, text, strnlen(text, (size_t)n));
}
