have all : ∀ k, u k + k + 2 = 2 ^ (k + 1) := by
  intro k
  induction k with
  | zero => rw [h₀]; rfl
  | succ k ih =>
    rw [h₁, Nat.pow_succ 2 (k + 1)]
    omega
have := all n
omega
