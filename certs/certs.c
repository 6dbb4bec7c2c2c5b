/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with our own CA and serving certificate, kept good. The one idea: look at what is there,
 * keep what is still good, make the rest anew; so running it again is always safe, and a crash
 * between two writes is mended by the next run.
 */
#include "certs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "certs_internal.h"

#define LIMIT_PEM_BYTES (1U << 20)

/* The text of DIR/name; NULL with success where there is no such file. */
static int read_part(const char *dir, const char *name, char **text, struct karta_error *err)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    if (path == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    size_t size;
    return file_read_regular(path, LIMIT_PEM_BYTES, text, &size, err);
}

static int write_part(const char *dir, const char *name, const char *text, unsigned mode,
                      struct karta_error *err)
{
    KARTA_AUTO_TEXT path = mem_format("%s/%s", dir, name);
    if (path == NULL || text == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    return file_write(path, text, strlen(text), mode, err);
}

/* What is in the two files, each part NULL where there is none. */
static int pair_read(const char *dir, const char *cert_name, const char *key_name,
                     struct certs_pair *pair, struct karta_error *err)
{
    KARTA_AUTO_TEXT cert = NULL;
    KARTA_AUTO_TEXT key = NULL;
    int rc = read_part(dir, cert_name, &cert, err);
    if (rc == 0)
        rc = read_part(dir, key_name, &key, err);
    if (rc != 0)
        return rc;
    pair->cert = cert != NULL ? certs_pem_cert(cert) : NULL;
    pair->key = key != NULL ? certs_pem_key(key) : NULL;
    return 0;
}

/* The key goes first: a reader that sees the new certificate finds its key there already. */
static int pair_write(const char *dir, const char *cert_name, const char *key_name,
                      const struct certs_pair *pair, X509 *issuer, struct karta_error *err)
{
    KARTA_AUTO_TEXT key = certs_key_pem(pair->key);
    KARTA_AUTO_TEXT cert = certs_chain_pem(pair->cert, issuer);
    int rc = write_part(dir, key_name, key, 0600, err);
    if (key != NULL)
        OPENSSL_cleanse(key, strlen(key));
    return rc != 0 ? rc : write_part(dir, cert_name, cert, 0644, err);
}

static int ensure_ca(const struct certs_options *options, struct certs_pair *ca,
                     struct karta_error *err)
{
    int rc = pair_read(options->dir, "ca.crt", "ca.key", ca, err);
    if (rc != 0 || certs_ca_is_good(ca, time(NULL)))
        return rc;
    rc = certs_make_ca(options, ca, err);
    return rc != 0 ? rc : pair_write(options->dir, "ca.crt", "ca.key", ca, NULL, err);
}

static int ensure_leaf(const struct certs_options *options, const struct certs_pair *ca,
                       int *renewed, struct karta_error *err)
{
    CERTS_AUTO_PAIR leaf = {0};
    int rc = pair_read(options->dir, "tls.crt", "tls.key", &leaf, err);
    if (rc != 0 || certs_leaf_is_good(&leaf, ca, options, time(NULL)))
        return rc;
    rc = certs_make_leaf(options, ca, &leaf, err);
    if (rc == 0)
        rc = pair_write(options->dir, "tls.crt", "tls.key", &leaf, ca->cert, err);
    if (rc == 0 && renewed != NULL)
        *renewed = 1;
    return rc;
}

/* `cannot DO PATH: reason`, for errno. */
static int fail_io(struct karta_error *err, const char *what, const char *path)
{
    const char *reason = strerror(errno);
    return karta_error_set(err, KARTA_ERR_IO, "cannot %s %s: %c%s", what, path,
                           tolower((unsigned char)reason[0]), reason + 1);
}

/* Makes the folder where it is missing and takes its lock; *fd is the caller's to close. */
static int lock_folder(const char *dir, int *fd, struct karta_error *err)
{
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return fail_io(err, "make folder", dir);
    KARTA_AUTO_TEXT path = mem_format("%s/.lock", dir);
    if (path == NULL)
        return karta_error_set(err, KARTA_ERR_NOMEM, "out of memory");
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return fail_io(err, "open", path);
    int rc;
    do
        rc = flock(*fd, LOCK_EX);
    while (rc != 0 && errno == EINTR);
    if (rc == 0)
        return 0;
    rc = fail_io(err, "lock", path);
    close(*fd);
    return rc;
}

int certs_ensure(const struct certs_options *options, int *renewed, struct karta_error *err)
{
    if (renewed != NULL)
        *renewed = 0;
    int rc = certs_check_sans(options, err);
    int lock = -1;
    if (rc == 0)
        rc = lock_folder(options->dir, &lock, err);
    if (rc != 0)
        return rc;
    CERTS_AUTO_PAIR ca = {0};
    rc = ensure_ca(options, &ca, err);
    if (rc == 0)
        rc = ensure_leaf(options, &ca, renewed, err);
    close(lock); /* gives the lock back */
    return rc;
}
