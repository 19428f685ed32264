// Half-split pairs are (0, 2) (1, 3), interleaved ones (0, 1) (2, 3); a mixture of both goes unnoticed in position 0
// alone. (1) 1 2 3 4 at positions 1 and 3, both ways. (2) At distance 3 the score of two fixed rows is the same
// wherever they stand, and changes its sign with the distance for these rows.
//
// RUN: %run-targets %s --function=half --input=1x1x1x4xf32=1,2,3,4 --input=index=1 \
// RUN:   --expected-output=1x1x1x4xf32=-1.98411065,1.95990067,2.4623779,4.01979967
// RUN: %run-targets %s --function=half --input=1x1x1x4xf32=1,2,3,4 --input=index=3 \
// RUN:   --expected-output=1x1x1x4xf32=-1.41335252,1.87911807,-2.82885748,4.05819114
// RUN: %run-targets %s --function=interleaved --input=1x1x1x4xf32=1,2,3,4 --input=index=1 \
// RUN:   --expected-output=1x1x1x4xf32=-1.14263966,1.9220756,2.95985067,4.0297995
// RUN: %run-targets %s --function=interleaved --input=1x1x1x4xf32=1,2,3,4 --input=index=3 \
// RUN:   --expected-output=1x1x1x4xf32=-1.27223251,-1.83886499,2.8786681,4.08818664
// RUN: %run-targets %s --function=half_score --input=3x1x1x4xf32=1,0,0,1,1,0,0,1,1,0,0,1 \
// RUN:   --input=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --input=3xindex=3,7,50 --input=3xindex=0,4,47 \
// RUN:   --expected-output=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --expected-output=3x1x1xf32=0.111124508
// RUN: %run-targets %s --function=half_score --input=3x1x1x4xf32=1,0,0,1,1,0,0,1,1,0,0,1 \
// RUN:   --input=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --input=3xindex=0,4,47 --input=3xindex=3,7,50 \
// RUN:   --expected-output=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --expected-output=3x1x1xf32=-0.111124508
// RUN: %run-targets %s --function=interleaved_score --input=3x1x1x4xf32=1,0,0,1,1,0,0,1,1,0,0,1 \
// RUN:   --input=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --input=3xindex=3,7,50 --input=3xindex=0,4,47 \
// RUN:   --expected-output=3x1x1x4xf32=0,1,1,0,0,1,1,0,0,1,1,0 --expected-output=3x1x1xf32=0.111124508

!x = tensor<?x1x?x4xf32>
!p = tensor<?xindex>
#half = #posenc.rope<half, base = 10000.0>
#interleaved = #posenc.rope<interleaved, base = 10000.0>

func.func @half(%x: !x, %past: index) -> !x {
  %r = posenc.rotate #half from(%past : index) x(%x : !x)
  return %r : !x
}

func.func @interleaved(%x: !x, %past: index) -> !x {
  %r = posenc.rotate #interleaved from(%past : index) x(%x : !x)
  return %r : !x
}

func.func @half_score(%q: !x, %k: !x, %qpast: !p, %kpast: !p) -> (!x, tensor<?x1x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) rotate #half from(%qpast : !p) k(%k : !x) rotate #half from(%kpast : !p) v(%k : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<?x1x?xf32>)
  return %o, %lse : !x, tensor<?x1x?xf32>
}

func.func @interleaved_score(%q: !x, %k: !x, %qpast: !p, %kpast: !p) -> (!x, tensor<?x1x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) rotate #interleaved from(%qpast : !p) k(%k : !x) rotate #interleaved from(%kpast : !p) v(%k : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<?x1x?xf32>)
  return %o, %lse : !x, tensor<?x1x?xf32>
}
