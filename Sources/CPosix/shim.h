#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/// Asks the kernel for SIGTERM when the parent dies, so that a killed supervisor leaves no orphans.
static inline int resonance_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGTERM); }

/// renameat2 of Linux, which the C library only declares for GNU sources.
#include <fcntl.h>
#include <sys/syscall.h>
#define RESONANCE_RENAME_NOREPLACE 1
#define RESONANCE_RENAME_EXCHANGE 2
static inline int resonance_rename(const char *from, const char *to, unsigned int flags) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}
