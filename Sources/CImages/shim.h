#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <signal.h>
#include <turbojpeg.h>

/// Reads the size of a PNG in memory; 0 on success. `image` must be freed with png_image_free.
static inline int resonance_png_begin(png_image *image, const void *bytes, size_t count) {
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(image, bytes, count)) return -1;
    image->format = PNG_FORMAT_RGB;
    return 0;
}

/// Decodes into `pixels`, width x height x 3 bytes, on a white background; 0 on success.
static inline int resonance_png_finish(png_image *image, unsigned char *pixels) {
    png_color white = {255, 255, 255};
    return png_image_finish_read(image, &white, pixels, 0, NULL) ? 0 : -1;
}

/// Limits this process to the memory and the seconds of processor time that a picture may take; no core, no new files.
static inline void resonance_limit_decoder(rlim_t bytes, rlim_t seconds) {
    struct rlimit memory = {bytes, bytes}, time = {seconds, seconds}, none = {0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/// A file in memory, closed on exec; -1 when there is none.
static inline int resonance_memory_file(void) { return (int)syscall(SYS_memfd_create, "picture", 1u); }
