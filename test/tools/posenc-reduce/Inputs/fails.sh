#!/bin/sh
# fails.sh POSENC_OPT FILE: exit status 1, "interesting", where posenc-unfuse
# leaves an attention because of its value rows; 0 for all else, which includes
# what does not verify.
"$1" "$2" --posenc-unfuse --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 |
  grep -q "a value row is no map of the distance" && exit 1
exit 0
