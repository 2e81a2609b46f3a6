/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bands that share one connection while a pack is sent (gitprotocol-pack(5), "Packfile Data"): each
 * packet begins with the number of its band. Band 1 has the pack, band 2 text for the user,
 * band 3 the error that ends it.
 */
#ifndef SIDEBAND_H
#define SIDEBAND_H

#include "compat/posix.h"
#include "util/err.h"

enum sideband_mode {
	SIDEBAND_NONE,	/* no bands: the pack and nothing else */
	SIDEBAND_SMALL, /* side-band: packets of at most 1000 bytes */
	SIDEBAND_LARGE, /* side-band-64k: at most 65520 */
};
enum sideband_band { BAND_PACK = 1, BAND_TEXT = 2, BAND_ERROR = 3 };

/* The most that one packet carries, its band not counted. For SIDEBAND_NONE that of a large one. */
size_t sideband_payload_max(enum sideband_mode mode);

/*
 * Send bytes on a band: in full packets, but the last one; many of them with one writev(2).
 * Without bands pack bytes go out as they are, and nothing else is sent. Empty: one empty packet.
 * Bytes may be in several pieces; packets do not begin anew with each. timeout_s: as writev_to_peer has it.
 */
MUST_USE int sideband_send(int fd, unsigned timeout_s, enum sideband_mode mode,
			   enum sideband_band band, const struct iovec *pieces, size_t nr, struct err *err);

#endif
