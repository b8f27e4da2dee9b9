have all : ∀ k, u k + k + 2 = 2 ^ (k + 1) := by
  intro k
  induction k with
  | zero => simp [h₀]
  | succ k ih =>
    have twice : 2 ^ (k + 1 + 1) = 2 ^ (k + 1) * 2 := Nat.pow_succ 2 (k + 1)
    have step := h₁ k
    omega
have := all n
omega
