/* SPDX-License-Identifier: GPL-2.0-only */
/* Goes when the bodies of diff.h come: no rename is found, no line is counted. */
#include "compat/posix.h"
#include "diff/diff.h"
void diff_options_init(struct diff_options *o, struct odb *odb){memset(o,0,sizeof *o);(void)odb;}
void diff_options_release(struct diff_options *o){(void)o;}
int diff_options_config(struct diff_options *o, const struct config_set *c, struct err *err){(void)o;(void)c;(void)err;return 0;}
struct diff_pair *diff_queue_add(struct diff_queue *q,const char *op, unsigned om,const struct object_id *oo,const char *np, unsigned nm,const struct object_id *no){(void)q;(void)op;(void)om;(void)oo;(void)np;(void)nm;(void)no;return NULL;}
void diff_queue_clear(struct diff_queue *q){(void)q;}
unsigned diff_pair_percent(const struct diff_pair *p){(void)p;return 0;}
int diff_process(struct diff_queue *q, const struct diff_options *o, struct err *err){(void)q;(void)o;(void)err;return 0;}
int diff_trees(struct diff_queue *q, const struct diff_options *o,const struct object_id *a, const struct object_id *b,struct err *err){(void)q;(void)o;(void)a;(void)b;(void)err;return 0;}
int diff_format(struct diff_queue *q, const struct diff_options *o,struct strbuf *out, struct err *err){(void)q;(void)o;(void)out;(void)err;return 0;}
