#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/// Asks the kernel for SIGTERM when the parent dies, so that a killed supervisor leaves no orphans.
static inline int resonance_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGTERM); }
