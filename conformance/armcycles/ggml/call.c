// Calls one of ggml's products once, for armcycles.py to trace: CALLEE by name, on zeros.
//   call dot WEIGHTS N        N rows by N columns of a vec_dot
//   call panel WEIGHTS N ROWS N columns by ROWS rows of a gemv or gemm
#include <stdlib.h>
#include <string.h>

extern char CALLEE[];

typedef void (*dot)(int weights, float *sums, size_t stride, const void *w, size_t row, const void *x, size_t column, int n);
typedef void (*panel)(int weights, float *sums, size_t stride, const void *w, const void *x, int n, int rows);

static char w[1 << 20], x[1 << 20];
static float sums[1 << 12];

int main(int argc, char **argv) {
    int weights = atoi(argv[2]), n = atoi(argv[3]);
    if (strcmp(argv[1], "dot") == 0) {
        ((dot)CALLEE)(weights, sums, 16, w, 1 << 14, x, 1 << 14, n);
    } else {
        ((panel)CALLEE)(weights, sums, 64, w, x, n, atoi(argv[4]));
    }
    return 0;
}
