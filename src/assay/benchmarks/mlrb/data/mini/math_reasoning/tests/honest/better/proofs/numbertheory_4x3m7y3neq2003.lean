intro h
have cube : x ^ 3 = x * x * x := by simp [Int.pow_succ]
have rest : x % 7 = 0 ∨ x % 7 = 1 ∨ x % 7 = 2 ∨ x % 7 = 3 ∨ x % 7 = 4 ∨ x % 7 = 5 ∨ x % 7 = 6 := by omega
have mod : x * x * x % 7 = 0 ∨ x * x * x % 7 = 1 ∨ x * x * x % 7 = 6 := by
  rcases rest with g | g | g | g | g | g | g <;> (rw [Int.mul_emod, Int.mul_emod x x, g]; decide)
rw [cube] at h
generalize x * x * x = t at h mod
generalize y ^ 3 = s at h
omega
