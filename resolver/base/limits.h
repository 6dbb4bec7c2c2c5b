/* SPDX-License-Identifier: Apache-2.0 */
/* Every cap of the library in one place, each with its reason. */
#ifndef KARTA_BASE_LIMITS_H
#define KARTA_BASE_LIMITS_H

/* documents: a List of a whole namespace is a few MiB; 32 MiB bounds what a bad file can cost */
#define LIMIT_DOCUMENT_BYTES (32U << 20)
#define LIMIT_DOCUMENT_DEPTH 512
#define LIMIT_DOCUMENT_NODES 1000000U
#define LIMIT_DOCUMENTS 10000U

/* expressions: no public Karta's is above 1 KiB; the rest keeps one function below jq's 64 KiB */
#define LIMIT_EXPRESSION_BYTES 4096U
#define LIMIT_EXPRESSION_NODES 1024U
#define LIMIT_EXPRESSION_DEPTH 64
#define LIMIT_EXPRESSION_RESULTS 1000
#define LIMIT_PROGRAM_PARTS 200U

/*
 * compiling, in steps of about 10 microseconds with jq 1.6 (jq_cost.h): no deadline reaches into
 * it, so about 120 ms a program beside the 20 that libjq's own builtins take
 */
#define LIMIT_EXPRESSION_COST 3000U
#define LIMIT_PROGRAM_COST 12000U

/* objects as expressions see them: Kubernetes stores at most 1.5 MiB an object */
#define LIMIT_OBJECT_ARRAY 65536U
#define LIMIT_OBJECT_STRING (1U << 20)
#define LIMIT_OBJECT_DEPTH 256

/* what an expression may build: a result of this many nodes or bytes is already a mistake */
#define LIMIT_RESULT_NODES 200000U
#define LIMIT_RESULT_BYTES (4U << 20)

/* compiled states in the process: about 100 KB each, so 50 MB at most */
#define LIMIT_STATES 512U

/* evaluations under way at once: one a thread, so far above any thread count */
#define LIMIT_SLOTS 256U

/* a Karta's lists: Kubernetes itself stops at 1.5 MiB, the parts of a program at 200 */
#define LIMIT_COMPONENTS 64U
#define LIMIT_PROBLEMS 256U

/* policies: names of users and namespaces end at 253; two parts a rule fit into one program */
#define LIMIT_GLOB 256U
#define LIMIT_POLICY_CHECKS 100U

/* what policies say of one object: people read a few, an answer with all stays below 300 KiB */
#define LIMIT_FINDINGS 256U
#define LIMIT_FINDING_TEXT 1024U

/* a resolved workload: instances are the entries of a list in one object */
#define LIMIT_INSTANCES 1000U
#define LIMIT_COUNT 2147483647LL

/* what is written: all annotations of an object share 256 KiB */
#define LIMIT_GANG_ANNOTATION 16384U
#define LIMIT_ANNOTATIONS 262144U
#define LIMIT_DNS_LABEL 63U

/* warnings: Kubernetes cuts single warnings at 256 characters */
#define LIMIT_WARNING 255U
#define LIMIT_WARNINGS 5U

#endif
