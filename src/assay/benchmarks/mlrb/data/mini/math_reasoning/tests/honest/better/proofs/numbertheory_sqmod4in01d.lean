have square : a ^ 2 = a * a := by simp [Int.pow_succ]
have rest : a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3 := by omega
rcases rest with h | h | h | h <;> (rw [square, Int.mul_emod, h]; decide)
