have square : ∀ u : ℤ, (u + 2) ^ 2 = (u + 1) ^ 2 + (2 * u + 3) := by
  intro u
  first
    | grind
    | (simp only [Int.pow_succ, Int.pow_zero, Int.one_mul, Int.mul_add, Int.add_mul, Int.mul_one]; omega)
have two : ∀ x y : ℤ, x + 2 = y → f y = f x + 2 * x + 3 := by
  intro x y e
  have a := h0 (x + 2)
  have b := h0 (x + 1)
  rw [show x + 2 - 1 = x + 1 by omega, square, e] at a
  rw [show x + 1 - 1 = x by omega] at b
  generalize (x + 1) ^ 2 = s at a b
  omega
have start : f 20 = 306 := by
  have a := h0 20
  rw [show (20 : ℤ) - 1 = 19 by omega, h1] at a
  omega
have all : ∀ k : ℕ, ∀ n : ℤ, n = 20 + 2 * k → f n = 306 + 41 * k + 2 * (k * k) := by
  intro k
  induction k with
  | zero =>
    intro n hn
    rw [show n = 20 by omega]
    exact start.trans (by first | rfl | decide | simp)
  | succ k ih =>
    intro n hn
    have more : ((k + 1 : ℕ) : ℤ) * ((k + 1 : ℕ) : ℤ) = (k : ℤ) * k + 2 * k + 1 := by
      rw [show ((k + 1 : ℕ) : ℤ) = (k : ℤ) + 1 by omega, Int.mul_add, Int.add_mul]
      omega
    rw [two (n - 2) n (by omega), ih (n - 2) (by omega), more]
    omega
have last := all 37 94 (by omega)
first
  | omega
  | (rw [last]; rfl)
  | (rw [last]; decide)
