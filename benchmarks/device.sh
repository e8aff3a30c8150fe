#!/bin/sh
# Everything that wants a GPU, in one go, on a machine that has torch and no network.
# Usage: sh benchmarks/device.sh DATA OUT, where DATA was filled by
#   python benchmarks/generators.py prepare DATA
#   python benchmarks/lstm_vectors.py prepare DATA
# and DATA/wheels holds what imbtext needs besides torch and scikit-learn. Each part is on its own:
# one that fails leaves a log in OUT and the others go on.
# sh benchmarks/device.sh DATA OUT check: only whether CUDA and the CPU agree (needs DATA/wheels).
set -u
DATA=$1
OUT=$2
ONLY=${3:-}
HERE=$(dirname "$0")
export PYTHONUNBUFFERED=1 CUBLAS_WORKSPACE_CONFIG=:4096:8
python3 -c "import torch; print(torch.__version__, torch.cuda.get_device_name())"
check() {
    python3 -m pip install --quiet --no-index --no-deps --target "$OUT/site" "$DATA"/wheels/*.whl
    PYTHONPATH="$HERE/../src:$OUT/site" OMP_NUM_THREADS=2 \
        python3 "$HERE/device_check.py" "$OUT/check.json"
    rm -rf "$OUT/site"
}
if [ "$ONLY" = check ]; then
    check
    exit
fi
for repetition in 0 1 2 3 4; do
    OMP_NUM_THREADS=2 python3 "$HERE/generators.py" write "$DATA" "$OUT/parts" \
        --repetitions $repetition --seconds "${SECONDS_LEFT:-450}" > "$OUT/generators-$repetition.log" 2>&1 &
done
for part in 1 2; do
    OMP_NUM_THREADS=2 python3 "$HERE/lstm_vectors.py" train "$DATA" "$OUT" --part $part/2 \
        > "$OUT/lstm-$part.log" 2>&1 &
done
check > "$OUT/check.log" 2>&1 &
wait
cat "$OUT"/*.log | grep -v "categories$" | tail -n 60
cat "$OUT"/*.log > "$OUT/all.txt" && rm -f "$OUT"/*.log
# Few files come back from such a machine: the repetitions travel in one.
(cd "$OUT" && python3 -m zipfile -c written.zip parts/*.npz && rm -rf parts)
ls -la "$OUT"
