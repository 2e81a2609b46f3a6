/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sidebands: the streams that share one connection while a pack is sent (gitprotocol-pack(5),
 * "Packfile Data"). Each packet begins with the number of its band: 1 for the pack, 2 for text to
 * the user, 3 for the error that ends the connection.
 */
#ifndef SIDEBAND_H
#define SIDEBAND_H

#include "compat/posix.h"
#include "util/err.h"

enum sideband_mode {
	SIDEBAND_NONE,	/* no sideband: only the pack is sent */
	SIDEBAND_SMALL, /* side-band: packets of at most 1000 bytes */
	SIDEBAND_LARGE, /* side-band-64k: at most 65520 */
};
enum sideband_band { BAND_PACK = 1, BAND_TEXT = 2, BAND_ERROR = 3 };

/*
 * Largest payload of a packet, without the byte of the band. SIDEBAND_NONE has the value of
 * SIDEBAND_LARGE.
 */
size_t sideband_payload_max(enum sideband_mode mode);

/*
 * Send bytes on a band in full packets, except the last; one writev(2) sends many of them. Without
 * a sideband, pack bytes are sent as they are, and other bands send nothing. No bytes: sends one
 * empty packet. Packets do not end where a piece ends. timeout_s: as for writev_to_peer.
 */
MUST_USE int sideband_send(int fd, unsigned timeout_s, enum sideband_mode mode,
			   enum sideband_band band, const struct iovec *pieces, size_t nr, struct err *err);

#endif
