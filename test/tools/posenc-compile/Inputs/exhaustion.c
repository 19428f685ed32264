/* Calls a function once for each of its allocations, which fails. */
#include "attention.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void __real_free(void *memory);

/* Workers allocate at the same time. */
static int count, live, failing = -1;

void *__wrap_malloc(size_t size) {
  if (__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST) == failing)
    return NULL;
  __atomic_fetch_add(&live, 1, __ATOMIC_SEQ_CST);
  return __real_malloc(size);
}

void __wrap_free(void *memory) {
  __atomic_fetch_sub(&live, memory != NULL, __ATOMIC_SEQ_CST);
  __real_free(memory);
}

static float q[8 * 70 * 64], k[2 * 90 * 64], o[8 * 70 * 64], again[8 * 70 * 64];

static posenc_array4 describe(void *data, int64_t heads, int64_t length) {
  posenc_array4 array = {data,
                         {1, heads, length, 64},
                         {heads * length * 64, length * 64, 64, 1}};
  return array;
}

int main(void) {
  posenc_array4 queries = describe(q, 8, 70), keys = describe(k, 2, 90);
  posenc_array4 result = describe(o, 8, 70), second = describe(again, 8, 70);
  int total, i;
  for (i = 0; i < 8 * 70 * 64; ++i)
    q[i] = (float)(i % 11) - 5;
  for (i = 0; i < 2 * 90 * 64; ++i)
    k[i] = (float)(i % 7) - 3;
  if (attention(&queries, &keys, &keys, &result) || live != 0)
    return puts("the first call fails"), 1;
  total = count;
  for (failing = 0; failing < total; ++failing) {
    const char *text;
    count = 0;
    text = attention(&queries, &keys, &keys, &second);
    if (!text || strcmp(text, "there is not enough memory") != 0 || live != 0)
      return printf("allocation %d: %s, %d left\n", failing, text ? text : "",
                    live),
             1;
  }
  failing = -1;
  if (attention(&queries, &keys, &keys, &second) ||
      memcmp(o, again, sizeof o) != 0)
    return puts("the last call fails"), 1;
  puts(total > 4 ? "all allocations may fail" : "too few allocations");
  return 0;
}
