/* What the clients of the other brokers share: time, pace, result. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 256 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pace_until(int64_t due)
{
    int64_t left = due - now_ns();
    if (left > 0) nanosleep(&(struct timespec){left / 1000000000, left % 1000000000}, NULL);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One line: p50 and p99 in µs, and messages per second from the first to the last. */
static void report(int64_t *latency, long count, int64_t first, int64_t last)
{
    qsort(latency, count, sizeof *latency, by_size);
    printf("%.1f %.1f %.0f\n", latency[count / 2] / 1e3, latency[(long)(count * 0.99)] / 1e3,
           count > 1 ? (count - 1) / ((last - first) / 1e9) : 0);
}
