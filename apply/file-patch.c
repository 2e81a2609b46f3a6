/* SPDX-License-Identifier: GPL-2.0-only */
/* The patch of one file. */
#include "compat/posix.h"
#include "apply/patch-internal.h"
#include "util/alloc.h"

size_t patch_line_len(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	return nl ? (size_t)(nl + 1 - s) : (size_t)(end - s);
}

bool patch_is_no_newline(const char *s, const char *end)
{
	return patch_line_len(s, end) >= 12 && s[0] == '\\' && s[1] == ' ';
}

void file_patch_init(struct file_patch *p)
{
	*p = (struct file_patch){ .is_new = -1, .is_delete = -1 };
}

void file_patch_release(struct file_patch *p)
{
	free(p->old_name);
	free(p->new_name);
	for (size_t i = 0; i < p->nr; i++)
		free(p->hunks[i].data);
	free(p->hunks);
	file_patch_init(p);
}

struct patch_hunk *file_patch_add_hunk(struct file_patch *p)
{
	ALLOC_GROW(p->hunks, p->nr + 1, p->alloc);
	p->hunks[p->nr] = (struct patch_hunk){ .kind = HUNK_TEXT };
	return &p->hunks[p->nr++];
}

#define SWAP(type, a, b) \
	do {             \
		type swap_ = (a); \
		(a) = (b);        \
		(b) = swap_;      \
	} while (0)

void file_patch_reverse(struct file_patch *p)
{
	char oid[HASH_MAX_HEX + 1];

	if (p->new_mode || !p->new_name) /* else both sides have the mode */
		SWAP(unsigned, p->old_mode, p->new_mode);
	SWAP(char *, p->old_name, p->new_name);
	SWAP(int, p->is_new, p->is_delete);
	SWAP(size_t, p->added, p->deleted);
	memcpy(oid, p->old_oid, sizeof(oid));
	memcpy(p->old_oid, p->new_oid, sizeof(oid));
	memcpy(p->new_oid, oid, sizeof(oid));
	for (size_t i = 0; i < p->nr; i++) {
		SWAP(unsigned long, p->hunks[i].old_pos, p->hunks[i].new_pos);
		SWAP(unsigned long, p->hunks[i].old_nr, p->hunks[i].new_nr);
	}
}
