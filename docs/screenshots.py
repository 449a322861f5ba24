# SPDX-License-Identifier: Apache-2.0
"""docs/screenshots.py REFAULT: makes the pictures of docs/images in headless Chromium."""
import os
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "tests", "browser"))
import browser  # noqa: E402

PICTURES = [
    # name, width, dark, phone, what is shown, arguments
    ("replay", 1000, False, False, None,
     ["replay", "traces/redis.rft", "--set", "memory.max=50%", "--set", "zswap.enabled=1"]),
    ("accesses-dark", 1000, True, False, "#accesses",
     ["replay", "traces/gcc-tree.rft", "--set", "memory.max=50%", "--set", "swap.device=zram0"]),
    ("sweep", 1000, False, False, None,
     ["sweep", "traces/redis.rft", "--set", "memory.max=50%", "--set", "zswap.enabled=1",
      "--sweep", "zswap.max_pool_percent=1,5,10,20,30,50", "--sweep",
      "zswap.compressor=lzo,lz4,zstd,deflate,842", "--sweep", "vm.page-cluster=0,3",
      "--progress", "never"]),
]


def main():
    b = browser.Browser(browser.find_program(), 240)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            page = os.path.join(scratch, "page.html")
            for name, width, dark, phone, selector, arguments in PICTURES:
                subprocess.run([sys.argv[1]] + arguments + ["--html", page, "-q"], check=True,
                               cwd=root)
                b.view(width, 1180, dark=dark, phone=phone)
                b.load(page)
                b.screenshot(os.path.join(root, "docs", "images", name + ".png"), selector,
                             whole=False)
    finally:
        b.close()


main()
