/* SPDX-License-Identifier: Apache-2.0 */
/* The process_* figures that every Prometheus client has, from /proc. What cannot be read is left
 * out. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "metrics_internal.h"

static void print_gauge(struct strbuf *out, const char *name, const char *help, double value)
{
    metrics_print_head(out, name, "gauge", help);
    strbuf_addf(out, "%s %.17g\n", name, value);
}

static void print_memory(struct strbuf *out)
{
    FILE *file = fopen("/proc/self/statm", "re");
    uint64_t virtual_pages = 0;
    uint64_t resident_pages = 0;
    int found =
        file != NULL ? fscanf(file, "%" SCNu64 " %" SCNu64, &virtual_pages, &resident_pages) : 0;
    if (file != NULL)
        fclose(file);
    if (found != 2)
        return;
    double page = (double)sysconf(_SC_PAGESIZE);
    print_gauge(out, "process_virtual_memory_bytes", "Virtual memory.",
                (double)virtual_pages * page);
    print_gauge(out, "process_resident_memory_bytes", "Resident memory.",
                (double)resident_pages * page);
}

static void print_descriptors(struct strbuf *out)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder != NULL) {
        int count = -3; /* ".", ".." and the folder's own */
        while (readdir(folder) != NULL)
            count++;
        closedir(folder);
        print_gauge(out, "process_open_fds", "Open file descriptors.", count);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        print_gauge(out, "process_max_fds", "Most open file descriptors.", (double)limit.rlim_cur);
}

/* Ticks between boot and the process's start: field 22 of stat, counted behind the name. */
static uint64_t start_ticks(void)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[size] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

static void print_start(struct strbuf *out)
{
    struct timespec now;
    struct timespec up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    double boot = (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) / 1e9;
    double started = boot + (double)start_ticks() / (double)sysconf(_SC_CLK_TCK);
    metrics_print_head(out, "process_start_time_seconds", "gauge", "Start, since the epoch.");
    strbuf_addf(out, "process_start_time_seconds %.2f\n", started);
}

void metrics_print_process(struct strbuf *out)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    metrics_print_head(out, "process_cpu_seconds_total", "counter", "Processor time used.");
    strbuf_addf(out, "process_cpu_seconds_total %.6f\n",
                (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
    print_memory(out);
    print_descriptors(out);
    print_start(out);
}
