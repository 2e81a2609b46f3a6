/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a server did to a ref in place of the requested update: the lines "option …" of report-status-v2
 * (gitprotocol-pack(5)), which receive-pack writes and its proc-receive hook answers.
 */
#ifndef WIRE_PUSH_REPORT_H
#define WIRE_PUSH_REPORT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "wire/pkt-writer.h"

struct push_report {
	char *name; /* of the ref that changed; owned; NULL: the requested one */
	struct object_id old_oid, new_oid;
	bool has_old, has_new, forced;
};
/* In the order of the lines. All zero: empty. */
struct push_reports {
	struct push_report *items; /* owned */
	size_t nr;
	bool is_open; /* the next option belongs to the last report */
};

/* Take the text after "option ". Ignores unknown options and malformed object names. */
void push_reports_take_option(struct push_reports *l, const char *text, const struct hash_algo *algo);
/* A line "ok" or "ng" has come: the next option begins another report. */
void push_reports_close(struct push_reports *l);
/* Write the lines "option …" of one report. */
void push_report_write(struct pkt_writer *w, const struct push_report *r);
void push_reports_release(struct push_reports *l);

#endif
