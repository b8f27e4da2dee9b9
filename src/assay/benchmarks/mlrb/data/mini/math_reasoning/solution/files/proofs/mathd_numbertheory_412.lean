have hx : (x + 1) % 19 = 5 := by omega
have hy : (y + 5) % 19 = 12 := by omega
have square : (x + 1) ^ 2 = (x + 1) * (x + 1) := by simp [Int.pow_succ]
have cube : (y + 5) ^ 3 = (y + 5) * (y + 5) * (y + 5) := by simp [Int.pow_succ]
have a : (x + 1) * (x + 1) % 19 = 6 := by rw [Int.mul_emod, hx] <;> rfl
have b : (y + 5) * (y + 5) % 19 = 11 := by rw [Int.mul_emod, hy] <;> rfl
have c : (y + 5) * (y + 5) * (y + 5) % 19 = 18 := by rw [Int.mul_emod, b, hy] <;> rfl
rw [square, cube, Int.mul_emod, a, c] <;> rfl
