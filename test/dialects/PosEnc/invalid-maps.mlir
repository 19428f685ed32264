// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// row_c2: parameters without meaning.

// expected-error @below {{row_c2: expected lo <= hi and hi - lo + 1 rows within 63 bits, but got lo = 4, hi = 3}}
#clip = #posenc.clip<4, 3>

// -----

// expected-error @below {{row_c2: expected lo <= hi and hi - lo + 1 rows within 63 bits}}
#clip_overflow = #posenc.clip<-9223372036854775807, 1>

// -----

// expected-error @below {{row_c2: expected lo <= hi and hi - lo + 1 rows within 63 bits, but got lo = 1, hi = -1}}
#band = #posenc.band<1, -1>

// -----

// expected-error @below {{row_c2: expected 2 to 4096 buckets, but got 1}}
#t5_no_buckets = #posenc.t5<1, 128, causal>

// -----

// expected-error @below {{row_c2: expected an even number of 4 to 4096 buckets, but got 31}}
#t5_odd = #posenc.t5<31, 128, bidirectional>

// -----

// expected-error @below {{row_c2: expected 2 to 4096 buckets, but got 4097}}
#t5_many = #posenc.t5<4097, 1000000, causal>

// -----

// Half of the buckets are exact in a causal map,
// expected-error @below {{row_c2: expected a maximum distance above the exact range of 16 and of 31 bits, but got 16}}
#t5_causal = #posenc.t5<32, 16, causal>

// -----

// and a quarter in a bidirectional one.
// expected-error @below {{row_c2: expected a maximum distance above the exact range of 8 and of 31 bits, but got 8}}
#t5_bidirectional = #posenc.t5<32, 8, bidirectional>

// -----

// expected-error @below {{row_c2: expected a maximum distance above the exact range of 16 and of 31 bits, but got 2147483648}}
#t5_far = #posenc.t5<32, 2147483648, causal>

// -----

// The direction has no default: encoders and decoders differ.
// expected-error @+2 {{expected one of [bidirectional, causal] for which side of the query has buckets, got: backwards}}
// expected-error @below {{failed to parse T5Attr parameter 'direction'}}
#t5_direction = #posenc.t5<32, 128, backwards>

// -----

// expected-error @below {{row_c2: expected a span of 1 to 4096, but got 0}}
#deberta_span = #posenc.deberta<buckets = 256, max_position = 512, span = 0>

// -----

// expected-error @below {{row_c2: expected 2 to 4096 buckets, but got 1 (without buckets the map is #posenc.clip<-256, 255>)}}
#deberta_buckets = #posenc.deberta<buckets = 1, max_position = 512, span = 256>

// -----

// expected-error @below {{row_c2: expected max_position - 1 above buckets / 2 = 128 and max_position of 31 bits, but got 129}}
#deberta_position = #posenc.deberta<buckets = 256, max_position = 129, span = 256>

// -----

// expected-error @below {{row_c2: expected a window of at least 1 x 1 whose rows fit in 63 bits, but got 0 x 7}}
#window = #posenc.window<0, 7>

// -----

// expected-error @below {{row_c2: expected a window of at least 1 x 1 whose rows fit in 63 bits}}
#window_overflow = #posenc.window<4294967296, 4294967296>

// -----

// expected-error @below {{row_c2: expected 0 < alpha <= beta <= 4096 and a finite gamma above alpha}}
#irpe_alpha = #posenc.irpe<0.0, 3.8, 15.2>

// -----

// expected-error @below {{row_c2: expected 0 < alpha <= beta <= 4096 and a finite gamma above alpha}}
#irpe_beta = #posenc.irpe<1.9, 1.8, 15.2>

// -----

// expected-error @below {{row_c2: expected 0 < alpha <= beta <= 4096 and a finite gamma above alpha}}
#irpe_many = #posenc.irpe<1.9, 4097.0, 15.2>

// -----

// expected-error @below {{row_c2: expected 0 < alpha <= beta <= 4096 and a finite gamma above alpha}}
#irpe_gamma = #posenc.irpe<1.9, 3.8, 1.9>

// -----

// expected-error @below {{row_c2: expected 0 < alpha <= beta <= 4096 and a finite gamma above alpha}}
#irpe_infinite = #posenc.irpe<1.9, 3.8, 0x7FF0000000000000>
