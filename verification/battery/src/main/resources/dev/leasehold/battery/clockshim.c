/* Moves the clocks of one dynamically linked process, so that a run can set the wall clock of a server, or let a client
 * find its clocks as they are after the machine has slept.
 *
 *   cc -shared -fPIC -O2 -o clockshim.so clockshim.c
 *   CLOCKSHIM=offsets LD_PRELOAD=./clockshim.so redis-server ...
 *
 * The file holds two signed 64-bit numbers in native byte order, both microseconds: what is added to CLOCK_REALTIME, and what
 * is added to CLOCK_MONOTONIC. A write to it counts at once. Waits until a point in time are carried over to the kernel's
 * clocks. It uses neither dlsym nor malloc, for which a server with an allocator of its own is not ready so early. A
 * statically linked process is not affected. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
/* Later than any time since boot, and earlier than now by the wall clock. */
#define EARLIEST_DATE 1000000000LL

static volatile int64_t none[2];
static volatile int64_t *offsets = none;

__attribute__((constructor)) static void find_offsets(void) {
    const char *path = getenv("CLOCKSHIM");
    if (!path) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) offsets = (volatile int64_t *) mapped;
}

static int64_t offset_of(clockid_t clock) {
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return offsets[0] * 1000;
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW) return offsets[1] * 1000;
    return 0;
}

static void add(struct timespec *time, int64_t nanos) {
    int64_t sum = (int64_t) time->tv_sec * SECOND + time->tv_nsec + nanos;
    if (sum < 0) sum = 0;
    time->tv_sec = sum / SECOND;
    time->tv_nsec = sum % SECOND;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (!result) add(time, offset_of(clock));
    return result;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone) {
    (void) zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (value) {
        value->tv_sec = now.tv_sec;
        value->tv_usec = now.tv_nsec / 1000;
    }
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

/* Which clock a condition uses is not asked: a date and a time since boot are far apart. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    clockid_t clock = until->tv_sec > EARLIEST_DATE ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct timespec kernels = *until;
    add(&kernels, -offset_of(clock));
    return pthread_cond_clockwait(condition, mutex, clock, &kernels);
}
