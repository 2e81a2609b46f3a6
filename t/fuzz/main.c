/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a fuzz target without a fuzzer: on the given files, or, with -r ROUNDS [SEED], on
 * random inputs and random changes of those files. Not used with clang's -fsanitize=fuzzer.
 */
#include "compat/posix.h"
#include "t/fuzz/fuzz.h"

#define INPUT_MAX 65536

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

struct input {
	unsigned char *p;
	size_t len;
};

static struct input read_input(const char *path)
{
	struct input in = { malloc(INPUT_MAX), 0 };
	FILE *fp = fopen(path, "rb");

	if (!fp || !in.p) {
		perror(path);
		exit(1);
	}
	in.len = fread(in.p, 1, INPUT_MAX, fp);
	fclose(fp);
	return in;
}

/* In memory of exactly its size, so that a sanitizer detects a read beyond it. */
static void run(const unsigned char *p, size_t len)
{
	unsigned char *copy = malloc(len ? len : 1);

	if (!copy)
		exit(1);
	memcpy(copy, p, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static size_t change(unsigned char *p, size_t len)
{
	size_t times = 1 + next_random() % 8;

	if (!len || next_random() % 8 == 0) {
		len = next_random() % 300;
		for (size_t i = 0; i < len; i++)
			p[i] = (unsigned char)(next_random() >> 32);
		return len;
	}
	while (times--) {
		size_t at = next_random() % len;

		switch (next_random() % 4) {
		case 0:
			p[at] ^= (unsigned char)(1u << (next_random() % 8));
			break;
		case 1:
			p[at] = (unsigned char)(next_random() >> 32);
			break;
		case 2:
			p[at] = next_random() & 1 ? 0xff : 0;
			break;
		default:
			if (next_random() % 8 == 0)
				len = at + 1;
		}
	}
	return len;
}

int main(int argc, char **argv)
{
	long rounds = 0;
	int first = 1;
	unsigned char work[INPUT_MAX];

	if (argc > 2 && !strcmp(argv[1], "-r")) {
		rounds = atol(argv[2]);
		first = 3;
	}
	if (argc > first + 1 && !strcmp(argv[first], "-s")) {
		state ^= strtoull(argv[first + 1], NULL, 0) * 2654435761u;
		first += 2;
	}
	for (int i = first; i < argc; i++) {
		struct input in = read_input(argv[i]);

		run(in.p, in.len);
		for (long r = 0; r < rounds; r++) {
			memcpy(work, in.p, in.len);
			run(work, change(work, in.len));
		}
		free(in.p);
	}
	for (long r = 0; r < rounds; r++)
		run(work, change(work, 0));
	return 0;
}
