/* Ends the process it is loaded into (LD_PRELOAD) just before its Nth step that changes what is on the disk: a sync, a rename, a
 * link, a removal, a truncation or a new file, under one folder; or, where asked for, its Nth message to a server. The Nth write
 * to a ledger can be cut in half. Steps are numbered over all threads and written to a log, so that a run without a kill tells
 * how many there are. For tests only. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long steps;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? "" : value;
}

static void append_to_log(const char *what, const char *path) {
  char line[PATH_MAX + 64];
  const char *log = setting("KILL_AT_LOG");
  if (*log == 0) return;
  int length = snprintf(line, sizeof line, "%s %s\n", what, path);
  long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

/* True if the process is to be ended at this step. */
static int is_last(const char *what, const char *path) {
  long number = atomic_fetch_add(&steps, 1) + 1;
  append_to_log(what, path);
  return number == atol(setting("KILL_AT"));
}

static void end(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

static int is_watched(const char *path) {
  const char *folder = setting("KILL_AT_FOLDER");
  return *folder != 0 && strncmp(path, folder, strlen(folder)) == 0;
}

static const char *path_of(int file, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  buffer[length < 0 ? 0 : length] = 0;
  return buffer;
}

static void step(const char *what, const char *path) {
  if (is_watched(path) && is_last(what, path)) end();
}

static void step_on(const char *what, int file) {
  char buffer[PATH_MAX];
  step(what, path_of(file, buffer));
}

#define REAL(name) static __typeof__(name) *real; if (real == NULL) real = dlsym(RTLD_NEXT, #name)

int fsync(int file) { REAL(fsync); step_on("fsync", file); return real(file); }
int fdatasync(int file) { REAL(fdatasync); step_on("fdatasync", file); return real(file); }
int rename(const char *from, const char *to) { REAL(rename); step("rename", to); return real(from, to); }
int link(const char *from, const char *to) { REAL(link); step("link", to); return real(from, to); }
int unlink(const char *path) { REAL(unlink); step("unlink", path); return real(path); }
int remove(const char *path) { REAL(remove); step("remove", path); return real(path); }
int ftruncate(int file, off_t size) { REAL(ftruncate); step_on("truncate", file); return real(file, size); }
int ftruncate64(int file, off64_t size) { REAL(ftruncate64); step_on("truncate", file); return real(file, size); }

static int opens(int flags) { return (flags & O_CREAT) != 0; }

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = opens(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  REAL(open64);
  if (opens(flags) && access(path, F_OK) != 0) step("make", path);
  return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = opens(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  REAL(open);
  if (opens(flags) && access(path, F_OK) != 0) step("make", path);
  return real(path, flags, mode);
}

/* Half of it gets there. */
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  char buffer[PATH_MAX];
  REAL(pwrite64);
  const char *path = path_of(file, buffer);
  if (is_watched(path) && strstr(path, ".ndjson") != NULL && is_last("half of a write to", path)) {
    real(file, bytes, count / 2, at);
    end();
  }
  return real(file, bytes, count, at);
}

static void message(int file) {
  struct stat found;
  if (*setting("KILL_AT_SOCKETS") == 0 || fstat(file, &found) != 0 || !S_ISSOCK(found.st_mode)) return;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getpeername(file, (struct sockaddr *)&address, &length) != 0) return;
  if (address.ss_family == AF_UNIX) return;
  if (is_last("message", "")) end();
}

ssize_t write(int file, const void *bytes, size_t count) { REAL(write); message(file); return real(file, bytes, count); }
ssize_t writev(int file, const struct iovec *parts, int count) { REAL(writev); message(file); return real(file, parts, count); }
ssize_t sendmsg(int file, const struct msghdr *parts, int flags) { REAL(sendmsg); message(file); return real(file, parts, flags); }
