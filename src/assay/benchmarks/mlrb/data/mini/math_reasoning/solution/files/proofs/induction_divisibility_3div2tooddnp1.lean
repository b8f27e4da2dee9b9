induction n with
| zero => decide
| succ k ih =>
  rw [show 2 * (k + 1) + 1 = 2 * k + 1 + 2 by omega, Nat.pow_add]
  generalize 2 ^ (2 * k + 1) = t at ih ⊢
  omega
