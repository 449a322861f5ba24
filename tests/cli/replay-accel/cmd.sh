# SPDX-License-Identifier: Apache-2.0
"$REFAULT" gen usemem -o t.rft -n 30 --size 1M >/dev/null || exit 9
# replay KNOB=VALUE...: one small device for 30 CPUs
replay() {
    for knob; do
        set -- "$@" --set "$knob"
        shift
    done
    "$REFAULT" replay t.rft --kernel 6.13 --set machine.cpus=30 --set memory.max=50% --set zswap.enabled=1 \
        --set zswap.max_pool_percent=50 --set accel.devices=1 "$@" |
        grep -E '^(accel|note  *accel|verdict|  .* found the queue)'
    echo
}
full="accel.model=iaa zswap.compressor=deflate-iaa accel.wq_size=2 accel.comp_retries=1"
replay $full accel.comp_full=error
replay $full accel.comp_full=software
replay accel.model=queue accel.queue.fail_ppm=1000000 accel.queue.software=0
replay accel.model=queue zswap.enabled=0
replay accel.model=iaa
replay accel.model=queue accel.queue.compress=0
replay accel.model=queue accel.queue.min_job=8192
