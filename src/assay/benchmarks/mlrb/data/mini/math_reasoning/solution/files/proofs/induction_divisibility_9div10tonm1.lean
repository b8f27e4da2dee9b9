have all : ∀ k, 10 ^ k % 9 = 1 := by
  intro k
  induction k with
  | zero => rfl
  | succ k ih =>
    rw [Nat.pow_succ]
    generalize 10 ^ k = t at ih ⊢
    omega
have mod := all n
generalize 10 ^ n = t at mod ⊢
omega
