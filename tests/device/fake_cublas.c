/* cuBLAS as a machine without a GPU has it: products of column-major matrices in the host's memory,
   done at once, by the definition. It is strict: a handle needs a stream, then room of its own to
   work in, and the mode that keeps sums of 16-bit floats long. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK, NOT_INITIALIZED = 1, INVALID_VALUE = 7, INTERNAL_ERROR = 14, NOT_SUPPORTED = 15 };
enum { F32, F64, F16, BF16 = 14 };

typedef struct { void *stream, *room; size_t nbytes; int mode; } handle;
int64_t asked[8]; /* handles, products, batches, the last stream, room and compute type */

int cublasCreate_v2(handle **h) { *h = calloc(1, sizeof(handle)); asked[0]++; return OK; }
int cublasSetStream_v2(handle *h, void *s) { h->stream = s; h->room = 0; h->nbytes = 0; return s ? OK : INVALID_VALUE; }
int cublasSetWorkspace_v2(handle *h, void *room, size_t n) {
    if ((uintptr_t)room % 256) return INVALID_VALUE;
    h->room = room; h->nbytes = n;
    return OK;
}
int cublasSetMathMode(handle *h, int mode) { h->mode = mode; return OK; }
const char *cublasGetStatusString(int code) { return code == INVALID_VALUE ? "the value is invalid" : "fake status"; }

static double as_float(const void *at, int type, int64_t i) {
    if (type == F32) return ((const float *)at)[i];
    if (type == F64) return ((const double *)at)[i];
    if (type == F16) return (float)((const _Float16 *)at)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static void store(void *at, int type, int64_t i, double value) {
    if (type == F32) ((float *)at)[i] = (float)value;
    else if (type == F64) ((double *)at)[i] = value;
    else if (type == F16) ((_Float16 *)at)[i] = (_Float16)(float)value;
    else {
        float f = (float)value;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        ((uint16_t *)at)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

int cublasGemmStridedBatchedEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha,
                               const void *a, int at, int lda, long long sa,
                               const void *b, int bt, int ldb, long long sb, const void *beta,
                               void *c, int ct, int ldc, long long sc, int count, int compute, int algo) {
    if (!h || !h->stream || !h->room || h->nbytes != 32 << 20 || h->mode != 16) return NOT_INITIALIZED;
    if (at != bt || at != ct || algo != -1 || ta > 1 || tb > 1) return NOT_SUPPORTED;
    if (compute != (at == F64 ? 70 : 68) && !(compute == 77 && at == F32)) return NOT_SUPPORTED;
    if (m < 1 || n < 1 || k < 1 || count < 1) return INVALID_VALUE;
    if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return INVALID_VALUE;
    double scale = compute == 70 ? *(const double *)alpha : *(const float *)alpha;
    double keep = compute == 70 ? *(const double *)beta : *(const float *)beta;
    for (int64_t p = 0; p < count; p++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = 0;
                for (int64_t l = 0; l < k; l++)
                    sum += as_float(a, at, p * sa + (ta ? i * lda + l : l * lda + i)) *
                           as_float(b, bt, p * sb + (tb ? l * ldb + j : j * ldb + l));
                int64_t here = p * sc + j * ldc + i; /* beta 0: what is there is not read */
                store(c, ct, here, scale * sum + (keep ? keep * as_float(c, ct, here) : 0));
            }
    asked[1] += count; asked[2]++; asked[3] = (int64_t)h->stream; asked[4] = (int64_t)h->room; asked[5] = compute;
    return OK;
}

int cublasGemmEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
                 const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int algo) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, compute, algo);
}
