#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes this folder's data from a full set of recorded kernel runs.

usage: subset.py DIR REFAULT

DIR holds KERNEL/*.json, traces/ and banks/; REFAULT is the program. What is copied: the traces of
the chosen cases, the counters that are compared, and of each bank only the lengths of its pages
(never their bytes).
"""
import fnmatch
import json
import os
import shutil
import subprocess
import sys

CASES = """disk_seq disk_zipf disk_phase disk_stride disk_fork zram_seq zram_zipf zram_phase
zram_fork zram_fillrand_thp zswap_seq zswap_zipf zswap_stride zswap_zipf_m25 zswap_zipf_tiny_acc100 zswap_zipf_zbud
zswap_zipf_z3fold zswap_zipf_zstd zr_*""".split()
DROPPED = ("memcg.", "rusage.", "after_unmap.", "vmstat.nr_", "elapsed_ns", "vmstat.numa",
           "vmstat.pgalloc", "vmstat.pgfree")
KEPT_MEMCG = ("memcg.zswap", "memcg.zswapped")


def slim(g):
    g["kernel"] = g["kernel"].split("-")[0]
    counters = {k: v for k, v in g.get("counters", {}).items()
                if k in KEPT_MEMCG or not k.startswith(DROPPED)}
    if counters:
        g["counters"] = counters
    if "oom_details" in g:
        g["oom_details"] = len(g["oom_details"])
    for s in g.get("snapshots_rep0", []):
        s.pop("elapsed_ns", None)
        for pool in list(s.get("zsmalloc_classes", {})):
            if pool != "zram0":
                del s["zsmalloc_classes"][pool]
    return g


def main():
    source, program = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    traces, banks = set(), set()
    for kernel in sorted(k for k in os.listdir(source) if k[0].isdigit()):
        os.makedirs(os.path.join(here, kernel), exist_ok=True)
        for name in sorted(os.listdir(os.path.join(source, kernel))):
            if not any(fnmatch.fnmatch(name, c + ".json") for c in CASES):
                continue
            with open(os.path.join(source, kernel, name)) as f:
                g = slim(json.load(f))
            traces.add(g["trace"])
            banks.add(g["bank"])
            with open(os.path.join(here, kernel, name), "w") as f:
                json.dump(g, f, sort_keys=True, separators=(",", ":"))
                f.write("\n")
    os.makedirs(os.path.join(here, "traces"), exist_ok=True)
    for name in os.listdir(os.path.join(source, "traces")):
        if name.split(".")[0] in traces:
            shutil.copy(os.path.join(source, "traces", name), os.path.join(here, "traces", name))
    os.makedirs(os.path.join(here, "banks"), exist_ok=True)
    for bank in banks:
        lengths = subprocess.run([program, "validate", source, "--catalogue", bank], check=True,
                                 stdout=subprocess.PIPE).stdout
        subprocess.run(["zstd", "-q", "-f", "-19", "-o",
                        os.path.join(here, "banks", bank + ".pages.zst")], input=lengths,
                       check=True)


main()
