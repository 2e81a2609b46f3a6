/* SPDX-License-Identifier: GPL-2.0-only */
/* The list in the editor: the comments behind it, and what an edit has dropped. */
#include "compat/posix.h"
#include "object/message.h"
#include "sequence/rebase-list.h"
#include "util/map.h"

static const char commands_text[] =
	"\nCommands:\n"
	"p, pick <commit> = use commit\n"
	"r, reword <commit> = use commit, but edit the commit message\n"
	"e, edit <commit> = use commit, but stop for amending\n"
	"s, squash <commit> = use commit, but meld into previous commit\n"
	"f, fixup [-C | -c] <commit> = like \"squash\" but keep only the previous\n"
	"                   commit's log message, unless -C is used, in which case\n"
	"                   keep only this commit's message; -c is same as -C but\n"
	"                   opens the editor\n"
	"x, exec <command> = run command (the rest of the line) using shell\n"
	"b, break = stop here (continue rebase later with 'git rebase --continue')\n"
	"d, drop <commit> = remove commit\n"
	"l, label <label> = label current HEAD with a name\n"
	"t, reset <label> = reset HEAD to a label\n"
	"m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]\n"
	"        create a merge commit using the original merge commit's\n"
	"        message (or the oneline, if no original merge commit was\n"
	"        specified); use -c <commit> to reword the commit message\n"
	"u, update-ref <ref> = track a placeholder for the <ref> to be updated\n"
	"                      to this position in the new commits. The <ref> is\n"
	"                      updated at the end of the rebase\n"
	"\n"
	"These lines can be re-ordered; they are executed from top to bottom.\n";

void rebase_list_help(struct strbuf *out, const struct rebase_help *h)
{
	struct strbuf text = STRBUF_INIT;

	if (h->shown_range) {
		strbuf_addch(out, '\n');
		strbuf_addf(&text, "Rebase %s onto %s (%zu command%s)\n", h->shown_range, h->shown_onto, h->nr_commands,
			    h->nr_commands == 1 ? "" : "s");
	}
	strbuf_addstr(&text, commands_text);
	strbuf_addstr(&text, h->lines_must_stay ? "\nDo not remove any line. Use 'drop' explicitly to remove a commit.\n" :
						  "\nIf you remove a line here THAT COMMIT WILL BE LOST.\n");
	strbuf_addstr(&text, h->shown_range ? "\nHowever, if you remove everything, the rebase will be aborted.\n\n" :
					      "\nYou are editing the todo file of an ongoing interactive rebase.\n"
					      "To continue rebase after editing, run:\n"
					      "    git rebase --continue\n\n");
	message_add_commented(out, text.buf, text.len, h->comment_char);
	strbuf_release(&text);
}

void rebase_list_missing(const struct todo_list *before, const struct todo_list *after, struct repository *r,
			 struct strvec *lines)
{
	struct oidset kept = OIDSET_INIT;

	for (size_t i = 0; i < after->nr; i++)
		if (!oid_is_null(&after->items[i].oid))
			oidset_insert(&kept, &after->items[i].oid);
	for (size_t i = before->nr; i > 0; i--) {
		const struct todo_item *item = &before->items[i - 1];
		struct strbuf line = STRBUF_INIT;

		if (oid_is_null(&item->oid) || item->command == TODO_DROP || oidset_contains(&kept, &item->oid))
			continue;
		odb_abbrev(r->odb, &item->oid, r->settings.abbrev, &line);
		strbuf_addf(&line, " %s", item->arg);
		strvec_push(lines, line.buf);
		strbuf_release(&line);
	}
	oidset_clear(&kept);
}
