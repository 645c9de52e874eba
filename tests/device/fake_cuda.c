/* NVIDIA's driver as a machine without one has it: memory of the host, work done at once. What the
   Python side calls it with is the point; kernels only leave the first words of their record. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
static long made[4]; /* contexts, streams, events, modules */
static size_t used;
static const size_t most = 1 << 28;
int64_t launched[16]; /* count, blocks, threads, words of the record */
int failing;
int apart;
int64_t words[64]; /* of a launch with parameters of a word each: its shape, the parameters */

static int capturing; /* 1, and one more for each launch */
static int give(handle *out, int kind) { *out = (handle)(uintptr_t)(100 * (kind + 1) + ++made[kind]); return 0; }
int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int room, int d) { snprintf(name, room, "Fake %d", d); return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) {
    *v = which == 16 ? 132 : which == 39 ? 2048 : which == 75 ? 9 : which == 76 ? 0 : -1;
    return d;
}
int cuDevicePrimaryCtxRetain(handle *c, int d) { return give(c, 0) + d; }
int cuCtxSetCurrent(handle c) { return c == 0 ? 201 : 0; }
int cuMemGetInfo_v2(size_t *free_, size_t *total) { *free_ = most - used; *total = most; return 0; }
int cuMemAllocAsync(uint64_t *p, size_t n, handle s) {
    if (!s) return 400;
    if (used + n > most) return 2;
    used += n;
    size_t *at = aligned_alloc(256, (n + 511) / 256 * 256);
    *at = n;
    *p = (uint64_t)(uintptr_t)at + 256;
    return 0;
}
int cuMemFreeAsync(uint64_t p, handle s) {
    size_t *at = (size_t *)(uintptr_t)(p - 256);
    used -= *at;
    free(at);
    return s == 0;
}
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { *p = malloc(n); return flags != 1; }
int cuMemFreeHost(void *p) { free(p); return 0; }
int cuDeviceGetDefaultMemPool(handle *p, int d) { *p = (handle)7; return d; }
int trimmed;
int cuMemPoolTrimTo(handle p, size_t keep) { trimmed++; return !(p == (handle)7 && keep == 0); }
int cuMemPoolSetAttribute(handle p, int which, uint64_t *v) { return !(p == (handle)7 && which == 4 && *v == UINT64_MAX); }
int cuStreamCreate(handle *s, unsigned flags) { return flags == 1 ? give(s, 1) : 1; }
int cuStreamGetFlags(handle s, unsigned *flags) { *flags = (uintptr_t)s % 2; return !s; }
int cuPointerGetAttribute(int *v, int which, uint64_t p) { *v = 0; return p < 4096 ? 1 : which != 9; }
int cuStreamDestroy_v2(handle s) { return s == 0; }
int cuStreamSynchronize(handle s) { return failing ? failing : s == 0; }
int cuStreamWaitEvent(handle s, handle e, unsigned flags) { return !(s && e && flags == 0); }
int cuEventCreate(handle *e, unsigned flags) { return flags == 3 ? give(e, 2) : 1; }
int cuEventDestroy_v2(handle e) { return e == 0; }
int cuEventRecord(handle e, handle s) { return !(e && s); }
int cuEventSynchronize(handle e) { return failing ? failing : e == 0; }
int cuEventQuery(handle e) { return failing ? failing : e == 0; }
int cuMemcpyHtoDAsync_v2(uint64_t d, void *h, size_t n, handle s) { memcpy((void *)(uintptr_t)d, h, n); return s == 0; }
int cuMemcpyDtoHAsync_v2(void *h, uint64_t d, size_t n, handle s) { memcpy(h, (void *)(uintptr_t)d, n); return s == 0; }
int cuMemcpyDtoDAsync_v2(uint64_t d, uint64_t e, size_t n, handle s) { memcpy((void *)(uintptr_t)d, (void *)(uintptr_t)e, n); return s == 0; }
int cuMemcpyPeerAsync(uint64_t d, handle c, uint64_t e, handle f, size_t n, handle s) { return !(c && f) || cuMemcpyDtoDAsync_v2(d, e, n, s); }
int cuModuleLoadDataEx(handle *m, const char *text, unsigned n, int *options, void **values) {
    if (n != 2 || options[0] != 5 || options[1] != 6) return 1;
    if (failing) return failing;
    if (!strstr(text, ".entry") && strncmp(text, "\177ELF", 4)) {
        snprintf(values[0], (size_t)values[1], "no entry in it");
        return 218;
    }
    return give(m, 3);
}
int cuModuleGetFunction(handle *f, handle m, const char *name) { *f = (handle)name; return !(m && strncmp(name, "nbgraph_", 8) == 0); }
int cuLaunchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, handle s, void **parameters, void **extra) {
    if (!f || !s || extra) return 1;
    if (capturing) { capturing++; return 0; }
    if (apart) { /* so many parameters of a word each */
        int64_t told[7] = {gx, gy, gz, bx, by, bz, shared};
        memcpy(words, told, sizeof told);
        for (int k = 0; k < apart; k++) words[7 + k] = *(int64_t *)parameters[k];
        return 0;
    }
    if (shared || gy * gz * by * bz != 1) return 1;
    launched[0] += 1; launched[1] = gx; launched[2] = bx;
    memcpy(launched + 3, parameters[0], 5 * 8);
    return 0;
}
int64_t replayed;
int64_t graphs[2]; /* that there are, and of those that are ready to be run */
int cuStreamBeginCapture_v2(handle s, int mode) { capturing = 1; return !(s && mode == 2); }
int cuStreamGetCaptureInfo_v2(handle s, int *status, uint64_t *id, handle *g, const handle **nodes, size_t *count) {
    static handle last;
    *status = capturing != 0;
    last = (handle)(uintptr_t)(1000 + capturing);
    *nodes = &last; *count = 1;
    return !(s && capturing > 1) || id || g;
}
int cuStreamEndCapture(handle s, handle *g) { *g = (handle)55; graphs[0]++; return !(capturing && (capturing = 0, s)); }
int cuGraphInstantiateWithFlags(handle *e, handle g, uint64_t flags) { *e = (handle)56; graphs[1]++; return !(g == (handle)55 && flags == 0); }
typedef struct {
    handle function;
    unsigned gx, gy, gz, bx, by, bz, shared;
    void **parameters, **extra;
    handle kernel, context;
} params;
int cuGraphExecKernelNodeSetParams_v2(handle e, handle node, const params *p) {
    if (e != (handle)56 || !graphs[0] || !p->function || p->extra || p->kernel || p->context) return 1;
    int64_t told[8] = {(int64_t)node, p->gx, p->gy, p->gz, p->bx, p->by, p->bz, p->shared};
    memcpy(words, told, sizeof told);
    memcpy(words + 8, p->parameters[0], 5 * 8);
    return 0;
}
int cuGraphLaunch(handle e, handle s) { replayed++; return !(e == (handle)56 && s); }
int cuGraphDestroy(handle g) { graphs[0]--; return g != (handle)55; }
int cuGraphExecDestroy(handle e) { graphs[1]--; return e != (handle)56; }
int cuGetErrorString(int code, const char **text) {
    *text = code == 700 ? "an illegal memory access was encountered" : "fake error";
    return 0;
}
