# SPDX-License-Identifier: Apache-2.0
# No result of validate is written where it would be taken for a recorded run.
mkdir -p d/6.12 d/traces d/banks
printf 'W 0 0\n' >d/traces/t.txt
printf 'codecs lz4\n1000\n' >d/banks/b.pages
printf '%s' '{"case":"disk_x","trace":"t","bank":"b","kernel":"6.12.1","config":{"MemTotal_kB":500348,' \
    '"thp_enabled":"always [never]"},"counters":{"vmstat.pgfault":[1,1,1],"final_present":[1,1,1],' \
    '"final_swapped":[0,0,0],"memory.swap.current":[0,0,0]}}' >d/6.12/x.json
ln -s d/6.12 link
for f in d/6.12/new.json link/new.json d/6.12/x.json; do
    "$REFAULT" validate d -q --json $f
    echo "$?"
done
ls d/6.12
"$REFAULT" validate d -q --json d/6.12/new.txt >out || echo "$?"
ls d/6.12
