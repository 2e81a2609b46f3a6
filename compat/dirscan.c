/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/dirscan.h"

static bool is_dot_or_dotdot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

#ifdef __linux__

#ifndef __GLIBC__ /* musl: 64 bits are all there is */
#define dirent64 dirent
#define getdents64(fd, buf, size) getdents(fd, (struct dirent *)(buf), size)
#endif

int dir_scan_open(struct dir_scan *d, const char *path, void *buf, size_t size)
{
	*d = (struct dir_scan){ .fd = open_dir(path), .buf = buf, .size = size };
	return d->fd < 0 ? -1 : 0;
}

int dir_scan_next(struct dir_scan *d, const char **name, unsigned char *type)
{
	const struct dirent64 *de;

	do {
		if (d->pos >= d->len) {
			ssize_t n = getdents64(d->fd, d->buf, d->size);

			if (n <= 0)
				return (int)n;
			d->pos = 0;
			d->len = (size_t)n;
		}
		de = (const struct dirent64 *)(d->buf + d->pos);
		d->pos += de->d_reclen;
	} while (is_dot_or_dotdot(de->d_name));
	*name = de->d_name;
	*type = de->d_type;
	return 1;
}

void dir_scan_close(struct dir_scan *d)
{
	close(d->fd);
}

#else

int dir_scan_open(struct dir_scan *d, const char *path, void *buf, size_t size)
{
	int saved;

	*d = (struct dir_scan){ .fd = open_dir(path), .buf = buf, .size = size };
	if (d->fd < 0)
		return -1;
	d->dir = fdopendir(d->fd);
	if (d->dir)
		return 0;
	saved = errno;
	close(d->fd);
	errno = saved;
	return -1;
}

int dir_scan_next(struct dir_scan *d, const char **name, unsigned char *type)
{
	const struct dirent *de;

	do {
		errno = 0;
		de = readdir(d->dir);
		if (!de)
			return errno ? -1 : 0;
	} while (is_dot_or_dotdot(de->d_name));
	*name = de->d_name;
	*type = de->d_type;
	return 1;
}

void dir_scan_close(struct dir_scan *d)
{
	closedir(d->dir);
}

#endif
