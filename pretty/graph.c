/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of a commit, in this order; most commits have only its own and padding:
 *
 *	gap	"...": the commit before was left while its lanes were still moving
 *	spread	room for the parents of an octopus: the lanes to the right move away
 *	commit	the star, with dashes for further parents
 *	fan	the lines that leave a merge
 *	slide	lanes move left, a cell per row, until each is in its place
 *	padding	nothing moves
 *
 * After the commit's row the lanes to come are in `next`; `path[cell]` says which of
 * them the line in that cell leads to. A lane is in place when its line stands in cell
 * 2 * lane.
 */
#include "compat/posix.h"
#include "pretty/pretty.h"
#include "util/alloc.h"
#include "util/err.h"

enum row { ROW_PADDING, ROW_GAP, ROW_SPREAD, ROW_COMMIT, ROW_FAN, ROW_SLIDE };

#define NONE (-1)

struct lane {
	const struct commit *leads_to; /* the next commit in this lane */
	size_t color;
};

struct lanes {
	struct lane *at;
	int nr;
	size_t alloc;
};

struct graph {
	const char (*colors)[COLOR_MAXLEN];
	size_t nr_colors, color; /* the colour given out last */

	const struct commit *commit;
	struct commit *const *parents;
	int nr_parents;
	char mark;

	enum row row, last_row;
	struct lanes now, next;
	int place, last_place;	/* the commit's lane, that of the one before */
	int width;		/* cells of the widest row of this commit */
	/*
	 * How a merge leans: where its first parent's line leaves, 0 to the left (that
	 * parent has a lane there already), 1 straight down. More lanes than before:
	 */
	int lean;
	int added, last_added;
	int spread;		/* rows that were drawn to make room */

	int *path, *last_path;
	int cells;
	size_t alloc_cells;
};

struct graph *graph_new(const char (*colors)[COLOR_MAXLEN], size_t nr_colors)
{
	struct graph *g = xcalloc(1, sizeof(*g));

	g->colors = colors;
	g->nr_colors = nr_colors;
	g->color = nr_colors ? nr_colors - 1 : 0;
	return g;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	free(g->now.at);
	free(g->next.at);
	free(g->path);
	free(g->last_path);
	free(g);
}

/* ---- lanes ---- */

static int find_lane(const struct lanes *l, const struct commit *c)
{
	int i;

	for (i = 0; i < l->nr; i++)
		if (l->at[i].leads_to == c)
			return i;
	return NONE;
}

/* A line keeps its colour for as long as it leads to the same commit. */
static size_t color_for(const struct graph *g, const struct commit *c)
{
	int lane = find_lane(&g->now, c);

	return lane == NONE ? g->color : g->now.at[lane].color;
}

static int lane_to(struct graph *g, const struct commit *c)
{
	int lane = find_lane(&g->next, c);

	if (lane != NONE)
		return lane;
	ALLOC_GROW(g->next.at, (size_t)g->next.nr + 1, g->next.alloc);
	g->next.at[g->next.nr].leads_to = c;
	g->next.at[g->next.nr].color = color_for(g, c);
	return g->next.nr++;
}

/* A line that continues an old lane, or the line to a further parent. */
static void place_line(struct graph *g, const struct commit *c)
{
	int lane = lane_to(g, c);

	if (g->added > 0 && lane == g->path[g->width - 2]) {
		/* It ends at the merge's rightmost line: both meet at once. */
		g->path[g->width - 2] = lane;
		g->added = -1;
		return;
	}
	g->path[g->width] = lane;
	g->width += 2;
}

/*
 * The first parent of a merge decides how the merge leans: a lane that is there
 * already, further left, is joined by a line to the left, as near as it can be.
 */
static void place_first_parent(struct graph *g, const struct commit *c)
{
	int lane = lane_to(g, c), distance = g->place - lane;
	int reach = distance > 1 ? 2 * distance - 3 : 1;

	g->lean = distance > 0 ? 0 : 1;
	g->added = g->nr_parents + g->lean - 2;
	g->path[g->width + (g->lean - 1) * reach] = lane;
	g->width += 2 * g->lean;
}

static void place_parents(struct graph *g, bool has_lane)
{
	int i;

	for (i = 0; i < g->nr_parents; i++) {
		if (g->nr_colors && (g->nr_parents > 1 || !has_lane))
			g->color = (g->color + 1) % g->nr_colors;
		if (!i && g->nr_parents > 1)
			place_first_parent(g, g->parents[i]);
		else
			place_line(g, g->parents[i]);
	}
	if (!g->nr_parents)
		g->width += 2; /* the star itself */
}

static void reserve_cells(struct graph *g, int nr)
{
	if ((size_t)nr > g->alloc_cells) {
		g->alloc_cells = (size_t)nr * 2;
		g->path = xreallocarray(g->path, g->alloc_cells, sizeof(*g->path));
		g->last_path = xreallocarray(g->last_path, g->alloc_cells, sizeof(*g->last_path));
	}
}

static void lay_out(struct graph *g)
{
	struct lanes swap = g->now;
	int i;

	g->now = g->next;
	g->next = swap;
	g->next.nr = 0;
	g->cells = 2 * (g->now.nr + g->nr_parents + 1);
	reserve_cells(g, g->cells);
	for (i = 0; i < g->cells; i++)
		g->path[i] = NONE;
	g->width = 0;
	g->last_added = g->added;
	g->added = 0;
	g->place = find_lane(&g->now, g->commit);
	if (g->place == NONE)
		g->place = g->now.nr;
	for (i = 0; i <= g->now.nr; i++) {
		if (i == g->place)
			place_parents(g, i < g->now.nr);
		else if (i < g->now.nr)
			place_line(g, g->now.at[i].leads_to);
	}
	while (g->cells > 1 && g->path[g->cells - 1] == NONE)
		g->cells--;
}

/* Parents that need a dash to be reached: "*-." */
static int dashed_parents(const struct graph *g)
{
	return g->nr_parents + g->lean - 3;
}

static bool needs_spread(const struct graph *g)
{
	return g->nr_parents > 2 && g->place < g->now.nr - 1 && g->spread < 2 * dashed_parents(g);
}

static void enter(struct graph *g, enum row row)
{
	g->last_row = g->row;
	g->row = row;
}

void graph_begin_commit(struct graph *g, struct commit *c, struct commit *const *parents,
			size_t nr, char mark)
{
	g->commit = c;
	g->parents = parents;
	g->nr_parents = (int)nr;
	g->mark = mark;
	g->last_place = g->place;
	lay_out(g);
	g->spread = 0;
	/* last_row stays: it tells how the lines of the next row have to continue. */
	if (g->row != ROW_PADDING)
		g->row = ROW_GAP;
	else
		g->row = needs_spread(g) ? ROW_SPREAD : ROW_COMMIT;
}

bool graph_has_rows(const struct graph *g)
{
	return g->row != ROW_PADDING;
}

static bool all_in_place(const struct graph *g)
{
	int i;

	for (i = 0; i < g->cells; i++)
		if (g->path[i] != NONE && g->path[i] != i / 2)
			return false;
	return true;
}

/* ---- drawing ---- */

struct pen {
	struct graph *g;
	struct strbuf *out;
	int cells; /* drawn so far */
};

static void blanks(struct pen *p, int nr)
{
	strbuf_addchars(p->out, ' ', nr > 0 ? nr : 0);
	p->cells += nr > 0 ? nr : 0;
}

static void draw(struct pen *p, const struct lane *l, char c)
{
	bool color = p->g->nr_colors > 0;

	if (color)
		strbuf_addstr(p->out, p->g->colors[l->color]);
	strbuf_addch(p->out, c);
	if (color)
		strbuf_addstr(p->out, COLOR_RESET);
	p->cells++;
}

static void pad(struct pen *p)
{
	blanks(p, p->g->width - p->cells);
}

/* Lanes as they lead to the next row, nothing else. */
static void draw_padding(struct pen *p)
{
	struct graph *g = p->g;
	int i;

	for (i = 0; i < g->next.nr; i++) {
		draw(p, &g->next.at[i], '|');
		blanks(p, 1);
	}
}

/* Above a commit that has not been drawn: the lanes that lead to it. */
static void draw_lead_in(struct pen *p)
{
	struct graph *g = p->g;
	int i;

	for (i = 0; i < g->now.nr; i++) {
		draw(p, &g->now.at[i], '|');
		if (i == g->place && g->nr_parents > 2)
			blanks(p, (g->nr_parents - 2) * 2);
		else
			blanks(p, 1);
	}
	g->last_row = ROW_PADDING;
}

static void draw_gap(struct pen *p)
{
	strbuf_addstr(p->out, "...");
	p->cells += 3;
	enter(p->g, needs_spread(p->g) ? ROW_SPREAD : ROW_COMMIT);
}

/* Did the row above leave lane i going to the right? */
static bool came_from_fan(const struct graph *g, int i)
{
	return g->last_row == ROW_FAN && g->last_place < i;
}

static void draw_spread(struct pen *p)
{
	struct graph *g = p->g;
	int i;

	for (i = 0; i < g->now.nr; i++) {
		const struct lane *l = &g->now.at[i];

		if (i == g->place) {
			draw(p, l, '|');
			blanks(p, g->spread);
		} else if (i > g->place && (g->spread || came_from_fan(g, i))) {
			draw(p, l, '\\');
		} else {
			draw(p, l, '|');
		}
		blanks(p, 1);
	}
	g->spread++;
	if (!needs_spread(g))
		enter(g, ROW_COMMIT);
}

/* "-.", "--.": the lines to the third and further parents. */
static void draw_dashes(struct pen *p)
{
	struct graph *g = p->g;
	int nr = dashed_parents(g), i;

	for (i = 0; i < nr; i++) {
		const struct lane *l = &g->next.at[g->path[(g->place + i + 2) * 2]];

		draw(p, l, '-');
		draw(p, l, i == nr - 1 ? '.' : '-');
	}
}

static void draw_commit(struct pen *p)
{
	struct graph *g = p->g;
	int i;

	for (i = 0; i <= g->now.nr; i++) {
		const struct lane *l = i < g->now.nr ? &g->now.at[i] : NULL;

		if (i == g->place) {
			strbuf_addch(p->out, g->mark);
			p->cells++;
			if (g->nr_parents > 2)
				draw_dashes(p);
		} else if (!l) {
			break;
		} else if (i > g->place && g->added > 1) {
			draw(p, l, '\\');
		} else if (i > g->place && g->added == 1) {
			draw(p, l, came_from_fan(g, i) && g->last_added > 0 ? '\\' : '|');
		} else if (g->last_row == ROW_SLIDE && g->last_path[2 * i + 1] == i &&
			   g->path[2 * i] < i) {
			draw(p, l, '/');
		} else {
			draw(p, l, '|');
		}
		blanks(p, 1);
	}
	enter(g, g->nr_parents > 1 ? ROW_FAN : all_in_place(g) ? ROW_PADDING : ROW_SLIDE);
}

/* From a merge: "/" to the left if it leans, "|", and "\" for all the others. */
static void fan_out(struct pen *p)
{
	struct graph *g = p->g;
	int slope = g->lean, i;

	for (i = 0; i < g->nr_parents; i++) {
		const struct lane *l = &g->next.at[find_lane(&g->next, g->parents[i])];

		draw(p, l, "/|\\"[slope]);
		if (slope < 2)
			slope++;
		else if (g->added > 0 || i < g->nr_parents - 1)
			blanks(p, 1);
	}
	if (!g->added)
		blanks(p, 1);
}

static void draw_fan(struct pen *p)
{
	struct graph *g = p->g;
	const struct lane *joined = NULL;
	int i;

	for (i = 0; i <= g->now.nr; i++) {
		const struct lane *l = i < g->now.nr ? &g->now.at[i] : NULL;

		if (i == g->place) {
			fan_out(p);
		} else if (!l) {
			break;
		} else if (i > g->place) {
			draw(p, l, g->added > 0 ? '\\' : '|');
			blanks(p, 1);
		} else {
			draw(p, l, '|');
			/* The first line of a leaning merge runs to its parent's lane. */
			if (g->lean || i != g->place - 1) {
				if (joined)
					draw(p, joined, '_');
				else
					blanks(p, 1);
			}
		}
		if (l && l->leads_to == g->parents[0])
			joined = l;
	}
	enter(g, all_in_place(g) ? ROW_PADDING : ROW_SLIDE);
}

/* ---- sliding ---- */

/* One line a row may run level, over several lanes, instead of a cell at a time. */
struct level {
	int from; /* cell where it comes from; NONE: there is none */
	int lane;
};

static void run_level(struct graph *g, struct level *lv, int from, int lane, int upto)
{
	int cell;

	if (lv->from != NONE)
		return;
	lv->from = from;
	lv->lane = lane;
	for (cell = 2 * lane + 3; cell < upto - 2; cell += 2)
		g->path[cell] = lane;
}

static void slide_line(struct graph *g, struct level *lv, int cell)
{
	int lane = g->last_path[cell];

	if (2 * lane == cell) {
		g->path[cell] = lane;
	} else if (g->path[cell - 1] == NONE) {
		g->path[cell - 1] = lane;
		run_level(g, lv, cell, lane, cell);
	} else if (g->path[cell - 1] != lane) {
		/* Another line is in the way: cross it. */
		g->path[cell - 2] = lane;
		run_level(g, lv, cell - 1, lane, cell);
	}
	/* Else the line there leads to the same lane: they are one from here on. */
}

static void draw_slide(struct pen *p)
{
	struct graph *g = p->g;
	struct level lv = { NONE, NONE };
	int *swap = g->path, cell;
	bool ran = false;

	g->path = g->last_path;
	g->last_path = swap;
	for (cell = 0; cell < g->cells; cell++)
		g->path[cell] = NONE;
	for (cell = 0; cell < g->cells; cell++)
		if (g->last_path[cell] != NONE)
			slide_line(g, &lv, cell);
	memcpy(g->last_path, g->path, (size_t)g->cells * sizeof(*g->path));
	if (g->path[g->cells - 1] == NONE)
		g->cells--;

	for (cell = 0; cell < g->cells; cell++) {
		int lane = g->path[cell];

		if (lane == NONE) {
			blanks(p, 1);
		} else if (2 * lane == cell) {
			draw(p, &g->next.at[lane], '|');
		} else if (lane == lv.lane && cell != lv.from - 1) {
			/* The level run is over after this row, but for its first cell. */
			if (cell != 2 * lane + 3)
				g->path[cell] = NONE;
			ran = true;
			draw(p, &g->next.at[lane], '_');
		} else {
			if (ran && cell < lv.from)
				g->path[cell] = NONE;
			draw(p, &g->next.at[lane], '/');
		}
	}
	enter(g, all_in_place(g) ? ROW_PADDING : ROW_SLIDE);
}

bool graph_next_row(struct graph *g, struct strbuf *out)
{
	struct pen p = { g, out, 0 };
	bool own = g->row == ROW_COMMIT;

	switch (g->row) {
	case ROW_PADDING:
		draw_padding(&p);
		break;
	case ROW_GAP:
		draw_gap(&p);
		break;
	case ROW_SPREAD:
		draw_spread(&p);
		break;
	case ROW_COMMIT:
		draw_commit(&p);
		break;
	case ROW_FAN:
		draw_fan(&p);
		break;
	case ROW_SLIDE:
		draw_slide(&p);
		break;
	}
	pad(&p);
	return own;
}

void graph_padding(struct graph *g, struct strbuf *out)
{
	struct pen p = { g, out, 0 };

	if (g->row != ROW_COMMIT) {
		graph_next_row(g, out);
		return;
	}
	draw_lead_in(&p);
	pad(&p);
}
