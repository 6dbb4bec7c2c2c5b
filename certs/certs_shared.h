/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same CA and serving certificate for several replicas, as texts that they share (in a Secret,
 * say). Pure but for random numbers and the clock that certificates are dated by; any thread.
 *
 * A CA is renewed in an order that never breaks a handshake: the new CA joins the bundle; whoever
 * verifies us is given the bundle; only then is a certificate issued by the new CA. A CA leaves the
 * bundle when it has expired, not before.
 */
#ifndef KARTA_CERTS_SHARED_H
#define KARTA_CERTS_SHARED_H

#include <stdbool.h>

#include "certs.h"

/* PEM texts, each its own allocation; NULL: not there. */
struct certs_shared {
    char *ca_cert, *ca_key; /* the newest CA: what is issued next is signed by it */
    char *bundle;           /* every CA that has not expired, the newest first */
    char *cert, *key;       /* what is served: leaf and its CA; perhaps still by the CA before */
};
void certs_shared_dispose(struct certs_shared *shared);

enum certs_step {
    CERTS_STEP_NONE,  /* all is as it must be, or has to wait until the bundle is trusted */
    CERTS_STEP_FIRST, /* there was nothing: a CA and a certificate */
    CERTS_STEP_CA,    /* a new CA in the bundle */
    CERTS_STEP_LEAF   /* a new certificate */
};

/*
 * Does the next thing that is due at `now` (seconds since the epoch), one at a time; `options` as
 * certs_ensure has them, `dir` apart. `trusted`: those who verify us have had the present bundle
 * for long enough. A certificate that has expired is renewed without waiting. KARTA_ERR_SCHEMA
 * where the texts make no sense (then nothing has changed): "ca.crt holds no PEM certificate".
 */
int certs_shared_step(struct certs_shared *shared, const struct certs_options *options,
                      bool trusted, int64_t now, enum certs_step *step, struct karta_error *err);

#endif
