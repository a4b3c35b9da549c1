/* Runs a program and records, in order, what it asks of the file system: recorder LOG PROGRAM ARGUMENTS...
 *
 * One line for each call that worked: what, a file descriptor or none, a number, and up to two paths, separated by tabs.
 * Exits with 77 where programs may not be watched.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 256
#define NOT_ALLOWED 77

struct call {
    pid_t thread;
    unsigned long long number, arguments[6];
    char first[4096], second[4096];
};

static struct call calls[THREADS];
static FILE *out;

static struct call *call_of(pid_t thread) {
    struct call *unused = NULL;
    for (int at = 0; at < THREADS; at++) {
        if (calls[at].thread == thread) return &calls[at];
        if (!calls[at].thread && !unused) unused = &calls[at];
    }
    if (!unused) exit(1);
    unused->thread = thread;
    return unused;
}

/* The text at an address of the program, which may end in the middle of what can be read. */
static void text_at(pid_t thread, unsigned long long address, char *text, size_t size) {
    size_t found = 0;
    while (found + 1 < size) {
        size_t step = 256 - (address + found) % 256;
        if (step > size - 1 - found) step = size - 1 - found;
        struct iovec here = {text + found, step}, there = {(void *)(address + found), step};
        ssize_t count = process_vm_readv(thread, &here, 1, &there, 1, 0);
        if (count <= 0) break;
        if (memchr(text + found, 0, count)) return;
        found += count;
    }
    text[found] = 0;
}

static void entered(struct call *call, pid_t thread, const struct __ptrace_syscall_info *info) {
    call->number = info->entry.nr;
    memcpy(call->arguments, info->entry.args, sizeof call->arguments);
    call->first[0] = call->second[0] = 0;
    int first = -1, second = -1;
    switch (call->number) {
    case SYS_openat: case SYS_unlinkat: first = 1; break;
    case SYS_renameat2: case SYS_linkat: first = 1; second = 3; break;
#ifdef SYS_renameat
    case SYS_renameat: first = 1; second = 3; break;
#endif
#ifdef SYS_open
    case SYS_open: case SYS_creat: case SYS_unlink: first = 0; break;
    case SYS_rename: case SYS_link: first = 0; second = 1; break;
#endif
    }
    if (first >= 0) text_at(thread, call->arguments[first], call->first, sizeof call->first);
    if (second >= 0) text_at(thread, call->arguments[second], call->second, sizeof call->second);
}

static void left(const struct call *call, long long result) {
    const char *what = NULL;
    long long handle = (long long)call->arguments[0], number = result;
    if (result < 0) return;
    switch (call->number) {
    case SYS_write: case SYS_pwrite64: case SYS_writev: what = "write"; break;
    case SYS_fsync: case SYS_fdatasync: what = "sync"; break;
    case SYS_close: what = "close"; break;
    case SYS_ftruncate: what = "truncate"; number = (long long)call->arguments[1]; break;
    case SYS_fcntl:
        if (call->arguments[1] == F_DUPFD_CLOEXEC || call->arguments[1] == F_DUPFD) what = "copy";
        break;
    case SYS_openat: what = "open"; handle = result; number = (long long)call->arguments[2]; break;
    case SYS_unlinkat: what = "unlink"; break;
    case SYS_renameat2: what = "rename"; break;
    case SYS_linkat: what = "link"; break;
#ifdef SYS_renameat
    case SYS_renameat: what = "rename"; break;
#endif
#ifdef SYS_open
    case SYS_open: what = "open"; handle = result; number = (long long)call->arguments[1]; break;
    case SYS_unlink: what = "unlink"; break;
    case SYS_rename: what = "rename"; break;
    case SYS_link: what = "link"; break;
#endif
    }
    if (what) fprintf(out, "%s\t%lld\t%lld\t%s\t%s\n", what, handle, number, call->first, call->second);
}

int main(int count, char **words) {
    if (count < 3 || !(out = fopen(words[1], "w"))) return 1;
    pid_t child = fork();
    if (child < 0) return 1;
    if (!child) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(NOT_ALLOWED);
        raise(SIGSTOP);
        execv(words[2], words + 2);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, child, 0, options)) return NOT_ALLOWED;
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) return 1;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            call_of(thread)->thread = 0;
            if (thread != child) continue;
            fclose(out);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        int signal = WSTOPSIG(status), pass_on = 0;
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return NOT_ALLOWED;
            struct call *call = call_of(thread);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) entered(call, thread, &info);
            if (info.op == PTRACE_SYSCALL_INFO_EXIT) left(call, info.exit.rval);
        } else if (signal != SIGTRAP && signal != SIGSTOP) {
            pass_on = signal;
        }
        ptrace(PTRACE_SYSCALL, thread, 0, pass_on);
    }
}
