/* Calls two compiled modules: C89 and later, and C++. */
#include "first.h"
#include "second.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADS 8
#define LENGTH 5
#define CHANNELS 64

static float q[HEADS][LENGTH][CHANNELS], k[2][LENGTH][CHANNELS];
static float v[2][LENGTH][CHANNELS], o[HEADS][LENGTH][CHANNELS];

static posenc_array4 describe(void *data, int64_t heads) {
  posenc_array4 array;
  array.data = data;
  array.sizes[0] = 1;
  array.sizes[1] = heads;
  array.sizes[2] = LENGTH;
  array.sizes[3] = CHANNELS;
  array.strides[0] = heads * LENGTH * CHANNELS;
  array.strides[1] = LENGTH * CHANNELS;
  array.strides[2] = CHANNELS;
  array.strides[3] = 1;
  return array;
}

/* Causal attention, where query heads 0 to 3 have key head 0. */
static double expected(int h, int r, int d) {
  double total = 0, sum = 0;
  int j, c;
  for (j = 0; j <= r; ++j) {
    double score = 0;
    for (c = 0; c < CHANNELS; ++c)
      score += q[h][r][c] * k[h / 4][j][c];
    total += exp(0.125 * score);
    sum += exp(0.125 * score) * v[h / 4][j][d];
  }
  return sum / total;
}

int main(void) {
  posenc_array4 queries = describe(q, HEADS), keys = describe(k, 2);
  posenc_array4 values = describe(v, 2), result = describe(o, HEADS);
  posenc_array1 x;
  posenc_array0 element;
  int64_t numbers[3] = {4, 5, 6}, got = 0;
  const char *text;
  double worst = 0;
  int h, r, d;
  for (h = 0; h < HEADS; ++h)
    for (r = 0; r < LENGTH; ++r)
      for (d = 0; d < CHANNELS; ++d) {
        q[h][r][d] = (float)sin(1 + h + 3 * r + d);
        k[h / 4][r][d] = (float)cos(h / 4 + 5 * r + d);
        v[h / 4][r][d] = (float)cos(h / 4 + 7 * r + 2 * d);
      }

  text = attention(&queries, &keys, &values, &result);
  if (text) {
    puts(text);
    return 1;
  }
  for (h = 0; h < HEADS; ++h)
    for (r = 0; r < LENGTH; ++r)
      for (d = 0; d < CHANNELS; ++d) {
        double error = fabs(o[h][r][d] - expected(h, r, d));
        if (!(error <= worst))
          worst = error;
      }
  puts(worst < 1e-6 ? "attention is right" : "attention is wrong");

  x.data = numbers;
  x.sizes[0] = 3;
  x.strides[0] = 1;
  element.data = &got;
  text = first(&x, 2, &element);
  puts(!text && got == 6 ? "first is right" : "first is wrong");
  keys.sizes[3] = 63;
  puts(attention(&queries, &keys, &values, &result));
  return 0;
}
