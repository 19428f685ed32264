// Conversions and functions of the math library, on elements and scalars of all floats.
func.func @f(%x: tensor<?xbf16>, %y: tensor<?xf16>, %z: tensor<?xf64>, %s: bf16, %t: f16)
    -> (tensor<?xbf16>, tensor<?xf16>, tensor<?xf64>, tensor<?xbf16>, bf16, f16) {
  %a = math.exp %x : tensor<?xbf16>
  %b = math.expm1 %y : tensor<?xf16>
  %c = math.tanh %z : tensor<?xf64>
  %d = arith.truncf %z : tensor<?xf64> to tensor<?xbf16>
  %e = call @double(%s) : (bf16) -> bf16
  return %a, %b, %c, %d, %e, %t : tensor<?xbf16>, tensor<?xf16>, tensor<?xf64>, tensor<?xbf16>, bf16, f16
}

func.func private @double(%x: bf16) -> bf16 {
  %y = arith.addf %x, %x : bf16
  return %y : bf16
}
