/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a pack may make of little input. Some kB can be deltas whose results are terabytes, or a tree that fills the
 * memory. So bytes are counted before they are inflated, or made by a delta, and objects that are held in memory as a
 * whole have limits by type.
 */
#include "compat/posix.h"
#include "pack/receive/receive-internal.h"

/* What may have been inflated when so much of the pack is known. */
static uint64_t inflated_max(const struct pack_receive *rx, uint64_t input_bytes)
{
	const struct pack_receive_limits *l = &rx->o.limits;
	uint64_t more;

	if (!l->inflated_bytes || __builtin_mul_overflow(l->inflated_per_input, input_bytes, &more) ||
	    more > UINT64_MAX - l->inflated_bytes)
		return UINT64_MAX;
	return l->inflated_bytes + more;
}

bool rx_try_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes)
{
	uint64_t max = inflated_max(rx, input_bytes), used = atomic_load(&rx->inflated);

	if (max == UINT64_MAX)
		return true;
	do {
		if (used > max || bytes > max - used)
			return false;
	} while (!atomic_compare_exchange_weak(&rx->inflated, &used, used + bytes));
	return true;
}

static int beyond(const char *what, const char *size_name, uint64_t max, struct err *err)
{
	struct strbuf size = STRBUF_INIT;

	strbuf_humanise_bytes(&size, max);
	err_set(err, ERR_TOO_BIG, "%s exceeds maximum allowed %s (%s)", what, size_name, size.buf);
	strbuf_release(&size);
	return ERR_TOO_BIG;
}

int rx_spend(struct pack_receive *rx, uint64_t bytes, uint64_t input_bytes, struct err *err)
{
	return rx_try_spend(rx, bytes, input_bytes) ? 0 : beyond("pack", "inflated size", inflated_max(rx, input_bytes), err);
}

static uint64_t size_max(const struct pack_receive *rx, enum object_type type)
{
	uint64_t max = type == OBJ_TREE ? rx->o.limits.tree_bytes :
		       type == OBJ_COMMIT || type == OBJ_TAG ? rx->o.limits.commit_bytes : 0;

	return max ? max : UINT64_MAX;
}

bool rx_fits(const struct pack_receive *rx, enum object_type type, uint64_t size)
{
	return size <= size_max(rx, type);
}

int rx_check_size(const struct pack_receive *rx, enum object_type type, uint64_t size, struct err *err)
{
	return rx_fits(rx, type, size) ? 0 : beyond(object_type_name(type), "size", size_max(rx, type), err);
}
