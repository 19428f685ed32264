func.func @f(%x: tensor<?xbf16>, %y: tensor<?xf16>, %z: tensor<?xf64>) -> (tensor<?xbf16>, tensor<?xf16>, tensor<?xf64>, tensor<?xbf16>) {
  %a = math.exp %x : tensor<?xbf16>
  %b = math.expm1 %y : tensor<?xf16>
  %c = math.tanh %z : tensor<?xf64>
  %d = arith.truncf %z : tensor<?xf64> to tensor<?xbf16>
  return %a, %b, %c, %d : tensor<?xbf16>, tensor<?xf16>, tensor<?xf64>, tensor<?xbf16>
}
