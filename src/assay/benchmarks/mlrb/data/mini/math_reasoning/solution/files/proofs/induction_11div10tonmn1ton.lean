induction n with
| zero => decide
| succ k ih =>
  rw [Int.pow_succ, Int.pow_succ]
  generalize (10 : Int) ^ k = s at ih ⊢
  generalize (-1 : Int) ^ k = t at ih ⊢
  omega
