have square : a ^ 2 = a * a := by simp [Int.pow_succ]
have rest : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
rcases rest with h | h | h <;> (rw [square, Int.mul_emod, h]; decide)
