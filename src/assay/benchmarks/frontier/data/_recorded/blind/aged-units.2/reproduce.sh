cd "$(dirname "$0")" && OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python3 analyse.py
