/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of one command of a push, and of the whole list. */
#include "compat/posix.h"
#include "receive/receive.h"
#include "util/alloc.h"

void push_command_refuse(struct push_command *c, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (c->error)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	c->error = strbuf_detach(&text, NULL);
}

void push_command_release(struct push_command *c)
{
	if (c->full_name != c->name)
		free(c->full_name);
	free(c->name);
	free(c->target);
	free(c->error);
	push_reports_release(&c->reports);
}

/* Updates that the proc-receive hook has made stay. */
void push_request_refuse_all(struct push_request *rq, const char *why)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (!rq->commands[i].answered)
			push_command_refuse(&rq->commands[i], "%s", why);
}

bool push_request_has_answered(const struct push_request *rq)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (rq->commands[i].answered && !rq->commands[i].error)
			return true;
	return false;
}

void push_request_mark_uncertain(struct push_request *rq)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (rq->commands[i].answered)
			push_command_refuse(&rq->commands[i], "durability unknown");
}

bool push_request_has_errors(const struct push_request *rq)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (rq->commands[i].error)
			return true;
	return false;
}
