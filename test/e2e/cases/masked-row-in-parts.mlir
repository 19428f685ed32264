// A row whose every score is that of a mask, a finite one, is the mean of the values, in whatever parts the keys are
// swept: here of 288 and 225 keys, beside whose scores a float has no digit left for their number. Value j is j, so that
// the mean of 513 is 256.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x16xf32=1 --input=1x1x513x16xf32=0 --input=f32=-1e9 \
// RUN:   --expected-output=1x1x1x16xf32=256
// RUN: %run-targets %s --function=attention --input=1x1x1x16xf32=1 --input=1x1x513x16xf32=0 --input=f32=1e30 \
// RUN:   --expected-output=1x1x1x16xf32=256

!q = tensor<1x1x1x16xf32>
!k = tensor<1x1x513x16xf32>

func.func @attention(%q: !q, %k: !k, %mask: f32) -> !q {
  %v = tensor.generate {
  ^bb0(%b: index, %h: index, %j: index, %c: index):
    %i = arith.index_cast %j : index to i32
    %x = arith.sitofp %i : i32 to f32
    tensor.yield %x : f32
  } : !k
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k)
      with(%mask : f32) score(%s, %b, %h, %r, %j) {
    %z = arith.addf %s, %mask : f32
    posenc.yield %z : f32
  } -> !q
  return %o : !q
}
