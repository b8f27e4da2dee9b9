have down : ∀ n m : ℤ, n < 1000 → n + 5 = m → f n = f (f m) := by
  intro n m h e
  subst e
  exact h₁ n h
have up : ∀ n m : ℤ, 1000 ≤ n → n - 3 = m → f n = m := by
  intro n m h e
  subst e
  exact h₀ n h
have f999 : f 999 = 998 := by
  rw [down 999 1004 (by omega) (by omega), up 1004 1001 (by omega) (by omega), up 1001 998 (by omega) (by omega)]
have f998 : f 998 = 997 := by
  rw [down 998 1003 (by omega) (by omega), up 1003 1000 (by omega) (by omega), up 1000 997 (by omega) (by omega)]
have f997 : f 997 = 998 := by
  rw [down 997 1002 (by omega) (by omega), up 1002 999 (by omega) (by omega), f999]
have all : ∀ k : ℕ, ∀ n : ℤ, n = 994 - 10 * k → f n = 997 := by
  intro k
  induction k with
  | zero =>
    intro n hn
    rw [show n = 994 by omega, down 994 999 (by omega) (by omega), f999, f998]
  | succ k ih =>
    intro n hn
    rw [down n (n + 5) (by omega) rfl, down (n + 5) (n + 10) (by omega) (by omega), ih (n + 10) (by omega), f997, f998]
exact all 91 84 (by omega)
