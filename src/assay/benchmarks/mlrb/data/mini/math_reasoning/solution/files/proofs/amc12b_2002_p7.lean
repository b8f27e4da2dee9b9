subst h₁
subst h₂
rcases Nat.lt_or_ge a 5 with h | h
· have four : a = 1 ∨ a = 2 ∨ a = 3 ∨ a = 4 := by omega
  rcases four with rfl | rfl | rfl | rfl <;> simp_all
· have := Nat.mul_le_mul (Nat.mul_le_mul_right (a + 1) h) (show 7 ≤ a + 1 + 1 by omega)
  omega
