/* SPDX-License-Identifier: Apache-2.0 */
/* How much this process may use: descriptors and processors. Any thread. */
#ifndef KARTA_SERVER_CAPACITY_H
#define KARTA_SERVER_CAPACITY_H

/* Raises the soft limit of open files to the hard one. Once, at the start. */
void capacity_raise_files(void);

/* The most connections that libmicrohttpd may hold: 4,096, or what the limit of files leaves. */
unsigned capacity_connections(unsigned threads);
/* Above this many, new connections cost old ones their life. */
unsigned capacity_soft(unsigned limit);

/* Whole processors that the cgroup grants, else those of the affinity mask; at least 1. */
unsigned capacity_processors(void);

#endif
