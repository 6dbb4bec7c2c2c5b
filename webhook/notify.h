/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the service manager how we are (sd_notify(3)'s protocol: datagrams to the socket that
 * NOTIFY_SOCKET names). Where nobody listens, nothing is sent. Any thread.
 */
#ifndef KARTA_WEBHOOK_NOTIFY_H
#define KARTA_WEBHOOK_NOTIFY_H

#include <stdint.h>

/* "READY=1", "STOPPING=1", "WATCHDOG=1"; several with newlines between them. */
void notify_send(const char *state);
/* RELOADING=1 with the time that the protocol wants beside it; READY=1 ends it. */
void notify_reloading(void);

/* How often WATCHDOG=1 is due, half of what the manager allows (WATCHDOG_USEC, meant for us by
 * WATCHDOG_PID); 0: nobody waits for it. */
int notify_watchdog_ms(void);

#endif
