/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one error type of libkarta. It lives on the caller's stack and is the last parameter of every
 * function that can fail; such functions return 0, or the negative code that they also stored.
 * The first error wins: setting an error that is already set changes nothing. NULL is allowed
 * wherever an error is taken: the code alone is returned then.
 */
#ifndef KARTA_ERROR_H
#define KARTA_ERROR_H

#if defined(__GNUC__)
#define KARTA_API __attribute__((visibility("default")))
#define KARTA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define KARTA_API
#define KARTA_PRINTF(fmt, args)
#endif

enum karta_code {
    KARTA_OK = 0,
    KARTA_ERR_NOMEM = -1,      /* an allocation failed */
    KARTA_ERR_SYNTAX = -2,     /* bytes that are not YAML or JSON */
    KARTA_ERR_SCHEMA = -3,     /* a document whose content is wrong */
    KARTA_ERR_LIMIT = -4,      /* larger, deeper or more than base/limits.h allows */
    KARTA_ERR_EXPRESSION = -5, /* jq that is refused or failed */
    KARTA_ERR_TIMEOUT = -6,    /* the deadline of an object passed */
    KARTA_ERR_NOT_FOUND = -7,
    KARTA_ERR_IO = -8,       /* the operating system said no */
    KARTA_ERR_CONFLICT = -9, /* a patch that does not fit, two things of one name */
    KARTA_ERR_INTERNAL = -10 /* a fault of ours */
};

struct karta_error {
    int code;          /* an enum karta_code; KARTA_OK: nothing is set */
    int line;          /* 1-based line in the input, 0 where there is none */
    int column;        /* 1-based column in bytes, 0 where there is none */
    char path[256];    /* field path, "" where there is none; cut, never overflowing */
    char message[512]; /* lower case, one line; cut, never overflowing */
};

/* Clears `err`, so that it can be used again. Any thread, as for every function here. */
KARTA_API void karta_error_init(struct karta_error *err);

/* Stores `code` and the formatted message unless an error is set already. Returns `code`. */
KARTA_API int karta_error_set(struct karta_error *err, int code, const char *format, ...)
    KARTA_PRINTF(3, 4);

/* The same, and where in the input it is: 1-based line and column. Returns `code`. */
KARTA_API int karta_error_set_at(struct karta_error *err, int code, int line, int column,
                                 const char *format, ...) KARTA_PRINTF(5, 6);

/*
 * Puts "context: " before the message of an error that is set; without one, or where `err` is
 * NULL, nothing is stored. Returns `code`, the code that the caller passes on.
 */
KARTA_API int karta_error_wrap(struct karta_error *err, int code, const char *format, ...)
    KARTA_PRINTF(3, 4);

#endif
