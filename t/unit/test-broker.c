/* SPDX-License-Identifier: GPL-2.0-only */
/* upload/broker.h: what a broker takes, and what it refuses. */
#include "compat/posix.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "t/unit/scratch.h"
#include "upload/broker-message.h"
#include "upload/broker-request.h"
#include "upload/broker.h"
#include "write-or-die.h"

static struct repository *repo;

static void server_make(struct upload_server *s)
{
	memset(s, 0, sizeof(*s));
	s->repo = repo;
	s->broker.fd = -1;
	s->o.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	s->o.out = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static void server_forget(struct upload_server *s)
{
	close(s->o.in);
	close(s->o.out);
}

static int setup(void **state)
{
	struct err err = ERR_INIT;

	if (scratch_setup(state))
		return -1;
	write_text(at(dir, "r.git/HEAD"), "ref: refs/heads/main\n");
	write_text(at(dir, "r.git/config"),
		   "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
	write_text(at(dir, "r.git/objects/info/nothing"), "");
	write_text(at(dir, "r.git/refs/heads/.nothing"), "");
	return repo_open_at(&repo, at(dir, "r.git"), NULL, &err);
}

static int teardown(void **state)
{
	repo_free(repo);
	return scratch_teardown(state);
}

/* ---- messages ---- */

static int take(struct broker_request *b, const char *message, size_t len)
{
	return broker_request_take(b, message, len, NULL);
}

static void add_oid(struct broker_request *b, char list, int expected)
{
	char message[2 + 20] = { 'O', list, 1, 2, 3 };

	assert_int_equal(take(b, message, sizeof(message)), expected);
}

static void what_is_asked_for_arrives(void **state UNUSED)
{
	struct upload_server s;
	struct broker_request b;

	server_make(&s);
	s.config.allow_filter = true;
	broker_request_init(&b, &s);
	add_oid(&b, 0, 0);
	add_oid(&b, 1, 0);
	add_oid(&b, 1, 0);
	add_oid(&b, 3, 0);
	assert_int_equal(take(&b, "Fblob:", 6), 0);
	assert_int_equal(take(&b, "Fnone", 5), 0);
	assert_int_equal(take(&b, "R\x15", 2), 1);
	assert_int_equal(b.q.cut.nr, 1);
	assert_int_equal(b.q.wants.nr, 2);
	assert_int_equal(b.q.haves.nr, 0);
	assert_int_equal(b.q.unshallowed.nr, 1);
	assert_int_equal(b.q.filter.nr, 1);
	assert_int_equal(b.q.filter.parts[0].kind, FILTER_BLOB_NONE);
	assert_true(b.q.thin && b.q.include_tag && b.bands && !b.q.ofs_delta && !b.q.no_progress);
	broker_request_release(&b);
	server_forget(&s);
}

static void what_upload_pack_never_sends_is_refused(void **state UNUSED)
{
	static const struct {
		const char *message;
		size_t len;
		bool filters;
	} cases[] = {
		{ "", 0, false },	   { "x", 1, false },	   { "O", 1, false },
		{ "O\1", 2, false },	   { "O\1short", 7, false },
		{ "O\4aaaaaaaaaaaaaaaaaaaa", 22, false }, /* there is no such list */
		{ "O\0aaaaaaaaaaaaaaaaaaaa", 22, false }, /* the one before */
		{ "O\1aaaaaaaaaaaaaaaaaaaab", 23, false },
		{ "F", 1, true },	   { "Fblob\0none", 10, true },
		{ "R", 1, false },	   { "R\0\0", 3, false },  { "R\x20", 2, false },
		{ "R\x80", 2, false },	   { "E\0", 2, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct upload_server s;
		struct broker_request b;

		server_make(&s);
		s.config.allow_filter = cases[i].filters;
		broker_request_init(&b, &s);
		add_oid(&b, 1, 0);
		assert_int_equal(take(&b, cases[i].message, cases[i].len), ERR_INVALID);
		broker_request_release(&b);
		server_forget(&s);
	}
}

static void filters_are_checked_again(void **state UNUSED)
{
	static const struct {
		const char *filter;
		bool allowed;
		int expected;
	} cases[] = {
		{ "Fblob:none", true, 1 }, { "Fblob:none", false, ERR_INVALID },
		{ "F--exec=rm", true, ERR_INVALID }, { "Ftree:1", true, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct upload_server s;
		struct broker_request b;

		server_make(&s);
		s.config.allow_filter = cases[i].allowed;
		broker_request_init(&b, &s);
		add_oid(&b, 1, 0);
		assert_int_equal(take(&b, cases[i].filter, strlen(cases[i].filter)), 0);
		assert_int_equal(take(&b, "R\0", 2), cases[i].expected);
		broker_request_release(&b);
		server_forget(&s);
	}
}

static void what_it_keeps_has_a_limit(void **state UNUSED)
{
	static char oids[BROKER_MESSAGE_MAX] = { 'O', 1 }, text[BROKER_MESSAGE_MAX] = { 'F' };
	const size_t nr = (sizeof(oids) - 2) / 20;
	struct upload_server s;
	struct broker_request b;
	int i;

	server_make(&s);
	memset(text + 1, 'a', sizeof(text) - 1);
	broker_request_init(&b, &s);
	for (i = 0; i < 8; i++)
		assert_int_equal(take(&b, text, sizeof(text)), 0);
	assert_int_equal(take(&b, text, sizeof(text)), ERR_TOO_BIG);
	b.nr_oids = 4 * (size_t)UPLOAD_LINES_MAX - nr;
	assert_int_equal(take(&b, oids, 2 + nr * 20), 0);
	assert_int_equal(take(&b, oids, 2 + 20), ERR_TOO_BIG);
	broker_request_release(&b);
	server_forget(&s);
}

/* ---- a broker ---- */

static void broker_fork_off(struct upload_server *s)
{
	int rc = broker_fork(&s->broker, NULL);

	assert_true(rc >= 0);
	if (rc)
		_exit(broker_run(s, NULL) < 0 ? 7 : 0);
}

static void broker_start(struct upload_server *s, const char *hook)
{
	server_make(s);
	s->config.pack_objects_hook = hook;
	broker_fork_off(s);
}

/* Its exit code. */
static int broker_end(struct upload_server *s)
{
	int status;

	close(s->broker.fd);
	assert_int_equal(waitpid(s->broker.pid, &status, 0), s->broker.pid);
	server_forget(s);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void request_make(struct fetch_request *q)
{
	struct object_id oid = repo->algo->null_oid;

	fetch_request_init(q);
	oid.hash[0] = 1;
	fetch_request_add_want(q, &oid);
}

static void hooks_run_one_after_the_other(void **state UNUSED)
{
	struct fetch_request q;
	struct upload_server s;

	request_make(&q);
	broker_start(&s, "cat; echo words >&2; exit 3 #");
	for (int i = 0; i < 3; i++) {
		struct relay_pipe p;
		char buf[200] = { 0 }, words[20] = { 0 };

		assert_int_equal(broker_start_hook(&s.broker, &q, true, &p, NULL), 0);
		assert_true(read_in_full(p.out, buf, sizeof(buf) - 1) >= 0);
		assert_true(read_in_full(p.err, words, sizeof(words) - 1) >= 0);
		assert_memory_equal(buf, "0100000000000000000000000000000000000000\n--not\n", 47);
		assert_string_equal(words, "words\n");
		close(p.out);
		close(p.err);
		assert_int_equal(p.finish(p.data, false), 3);
	}
	assert_int_equal(broker_end(&s), 0);
	fetch_request_release(&q);
}

static void a_hook_can_be_ended(void **state UNUSED)
{
	struct fetch_request q;
	struct upload_server s;
	struct relay_pipe p;

	request_make(&q);
	broker_start(&s, "exec sleep 100 #");
	assert_int_equal(broker_start_hook(&s.broker, &q, false, &p, NULL), 0);
	assert_int_equal(p.err, -1);
	assert_int_equal(p.finish(p.data, true), 128 + SIGTERM);
	close(p.out);
	assert_int_equal(broker_end(&s), 0);
	fetch_request_release(&q);
}

static void one_that_is_not_there_is_told(void **state UNUSED)
{
	struct fetch_request q;
	struct upload_server s;
	struct relay_pipe p;
	struct err err = ERR_INIT;

	if (!scratch_spawn_tells())
		skip();
	request_make(&q);
	broker_start(&s, "/no/such/hook");
	assert_int_equal(broker_start_hook(&s.broker, &q, true, &p, &err), ERR_NOT_FOUND);
	assert_non_null(strstr(err_message(&err), "cannot run /no/such/hook"));
	err_release(&err);
	assert_int_equal(broker_end(&s), 0);
	fetch_request_release(&q);
}

/* The first wrong message is the last one, and ends a hook that runs. */
static void a_hostile_server_loses_its_broker(void **state UNUSED)
{
	struct fetch_request q;
	struct upload_server s;
	struct relay_pipe p;
	char hook[PATH_MAX + 100];

	request_make(&q);
	snprintf(hook, sizeof(hook), "echo >%s/hook-ran; exec sleep 100 #", dir);
	broker_start(&s, hook);
	assert_int_equal(broker_message_send(s.broker.fd, "R\0", 2, NULL, NULL), 0);
	assert_int_equal(broker_start_hook(&s.broker, &q, true, &p, NULL) < 0, 1);
	assert_int_equal(broker_end(&s), 7);
	assert_int_equal(access(at(dir, "hook-ran"), F_OK), -1);

	broker_start(&s, "exec sleep 100 #");
	assert_int_equal(broker_start_hook(&s.broker, &q, true, &p, NULL), 0);
	assert_int_equal(broker_message_send(s.broker.fd, "R\0", 2, NULL, NULL), 0);
	assert_int_equal(broker_end(&s), 7);
	close(p.out);
	close(p.err);
	fetch_request_release(&q);
}

/* It lives as long as its socket, whatever becomes of the first one; its hook does, too. */
static void another_broker(void **state UNUSED)
{
	struct fetch_request q;
	struct upload_server s;
	struct relay_pipe p;
	char buf[100] = { 0 };
	int socket = -1, status;
	pid_t first;

	request_make(&q);
	server_make(&s);
	s.config.pack_objects_hook = "echo begun; exec sleep 100 #";
	s.config.share_s = 1;
	s.config.share_dir = (char *)"/somewhere";
	broker_fork_off(&s);
	first = s.broker.pid;
	assert_int_equal(broker_connect(&s.broker, &socket, NULL), 0);
	assert_int_equal(broker_replace(&s.broker, socket, NULL), 0);
	assert_int_equal(waitpid(first, &status, 0), first);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	assert_int_equal(broker_start_hook(&s.broker, &q, false, &p, NULL), 0);
	assert_int_equal(read_in_full(p.out, buf, 6), 6);
	assert_string_equal(buf, "begun\n");
	broker_release(&s.broker);
	assert_int_equal(read_in_full(p.out, buf, 1), 0); /* it has ended */
	close(p.out);
	server_forget(&s);
	fetch_request_release(&q);
}

/* ---- messages on the wire ---- */

/* A pipe, whose reading end is sent. */
static void send_pipe(int socket, const char *message, int *writing)
{
	struct broker_fds fds = { { -1 }, 1 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fds.fd[0] = ends[0];
	assert_int_equal(broker_message_send(socket, message, strlen(message), &fds, NULL), 0);
	close(ends[0]);
	*writing = ends[1];
}

/* Sent one after the other before anything is received: a stream alone would join them. */
static void messages_keep_their_bounds(void **state UNUSED)
{
	struct broker_fds fds;
	char buf[10], byte;
	int pair[2], writing[2];

	assert_int_equal(broker_message_pair(pair, NULL), 0);
	assert_int_equal(broker_message_send(pair[0], "one", 3, NULL, NULL), 0);
	send_pipe(pair[0], "two", &writing[0]);
	send_pipe(pair[0], "three", &writing[1]);
	assert_int_equal(broker_message_send(pair[0], "exactly 10", 10, NULL, NULL), 0);
	close(pair[0]);

	assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), &fds, NULL), 3);
	assert_memory_equal(buf, "one", 3);
	assert_int_equal(fds.nr, 0);
	assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), &fds, NULL), 3);
	assert_int_equal(fds.nr, 1);
	assert_int_equal(fcntl(fds.fd[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(writing[0], "x", 1), 1);
	assert_int_equal(read(fds.fd[0], &byte, 1), 1);
	broker_fds_close(&fds);
	assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), NULL, NULL), 5); /* without its pipe */
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(write(writing[1], "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), &fds, NULL), 10);
	assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), &fds, NULL), 0);
	close(pair[1]);
	close(writing[0]);
	close(writing[1]);
}

static void ignore_signal(int signal UNUSED)
{
}

/* A call that waits is interrupted, again and again. */
static void interrupt_calls(void)
{
	const struct sigaction act = { .sa_handler = ignore_signal };
	const struct itimerval each = { { 0, 1000 }, { 0, 1000 } };

	assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
}

/*
 * More than the socket's buffer holds, in pieces: by a process that sends and one that receives. An interrupted sendmsg(2) has
 * sent a part.
 */
static void a_long_message_arrives(void **state UNUSED)
{
	static char sent[3 << 20], got[sizeof(sent)];
	int pair[2], status;
	pid_t pid;

	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * i >> 8);
	assert_int_equal(broker_message_pair(pair, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		interrupt_calls();
		_exit(broker_message_send(pair[0], sent, sizeof(sent), NULL, NULL) < 0);
	}
	close(pair[0]);
	usleep(20000);
	assert_int_equal(broker_message_receive(pair[1], got, sizeof(got), NULL, NULL), sizeof(got));
	assert_memory_equal(got, sent, sizeof(got));
	assert_int_equal(broker_message_receive(pair[1], got, sizeof(got), NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(pair[1]);
}

static void wrong_lengths_are_refused(void **state UNUSED)
{
	static const struct {
		const char *bytes;
		size_t len;
		int expected;
	} cases[] = {
		{ "\0\0\0\0", 4, ERR_INVALID },	 { "\0\0\0\013elevenbytes", 15, ERR_INVALID },
		{ "\377\377\377\377x", 5, ERR_INVALID }, { "\177\377\377\377x", 5, ERR_INVALID },
		{ "\0\0\0", 3, 0 },			 { "\0\0\0\5four", 8, 0 },
		{ "\0\0\0\4four", 8, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[10];
		int pair[2];

		assert_int_equal(broker_message_pair(pair, NULL), 0);
		assert_int_equal(write(pair[0], cases[i].bytes, cases[i].len), cases[i].len);
		close(pair[0]);
		assert_int_equal(broker_message_receive(pair[1], buf, sizeof(buf), NULL, NULL), cases[i].expected);
		close(pair[1]);
	}
}

static void only_those_who_share_get_another(void **state UNUSED)
{
	struct upload_server s;
	int socket = -1;

	broker_start(&s, "cat #");
	assert_true(broker_connect(&s.broker, &socket, NULL) < 0);
	assert_int_equal(socket, -1);
	assert_int_equal(broker_end(&s), 7);

	server_make(&s); /* not within a request */
	s.config.pack_objects_hook = "cat #";
	s.config.share_s = 1;
	s.config.share_dir = (char *)"/somewhere";
	broker_fork_off(&s);
	assert_int_equal(broker_message_send(s.broker.fd, "O\1aaaaaaaaaaaaaaaaaaaa", 22, NULL, NULL), 0);
	assert_true(broker_connect(&s.broker, &socket, NULL) < 0);
	assert_int_equal(broker_end(&s), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_arrives),
		cmocka_unit_test(what_upload_pack_never_sends_is_refused),
		cmocka_unit_test(filters_are_checked_again),
		cmocka_unit_test(what_it_keeps_has_a_limit),
		cmocka_unit_test(hooks_run_one_after_the_other),
		cmocka_unit_test(a_hook_can_be_ended),
		cmocka_unit_test(one_that_is_not_there_is_told),
		cmocka_unit_test(a_hostile_server_loses_its_broker),
		cmocka_unit_test(another_broker),
		cmocka_unit_test(only_those_who_share_get_another),
		cmocka_unit_test(messages_keep_their_bounds),
		cmocka_unit_test(a_long_message_arrives),
		cmocka_unit_test(wrong_lengths_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
