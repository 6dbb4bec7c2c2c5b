/* SPDX-License-Identifier: Apache-2.0 */
/* ADDR:PORT and the sockets that listen there. */
#ifndef KARTA_SERVER_ADDRESS_H
#define KARTA_SERVER_ADDRESS_H

#include "karta/error.h"

/* Room for any printed address with its port. */
#define ADDRESS_TEXT 96

/* KARTA_ERR_SCHEMA unless `text` is ADDR:PORT ("127.0.0.1:9443", "[::1]:9443", ":9443"). */
int address_check(const char *text, struct karta_error *err);

/*
 * Listens at `text`; port 0 lets the system choose. *fd is the caller's to close, `real` the
 * address in use. KARTA_ERR_IO: "cannot listen on 127.0.0.1:9443: address already in use".
 */
int address_listen(const char *text, int *fd, char real[ADDRESS_TEXT], struct karta_error *err);

#endif
