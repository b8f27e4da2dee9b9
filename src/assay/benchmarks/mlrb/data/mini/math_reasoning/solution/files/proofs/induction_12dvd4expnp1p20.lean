induction n with
| zero => decide
| succ k ih =>
  rw [Nat.pow_succ]
  generalize 4 ^ (k + 1) = t at ih ⊢
  omega
