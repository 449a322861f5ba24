# SPDX-License-Identifier: Apache-2.0
# Options say something about an experiment, so there has to be one.
for a in --scale=1/2 --json=x.json --html=x.html --seeds=2 --jobs=1 --quiet; do
    "$REFAULT" repro "$a"
    echo "$?"
done
ls
