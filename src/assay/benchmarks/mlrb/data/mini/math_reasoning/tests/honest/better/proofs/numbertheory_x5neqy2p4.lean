intro h
have fifth : x ^ 5 = x * x * x * x * x := by simp [Int.pow_succ]
have square : y ^ 2 = y * y := by simp [Int.pow_succ]
have rest : ∀ z : ℤ, z % 11 = 0 ∨ z % 11 = 1 ∨ z % 11 = 2 ∨ z % 11 = 3 ∨ z % 11 = 4 ∨ z % 11 = 5 ∨ z % 11 = 6
    ∨ z % 11 = 7 ∨ z % 11 = 8 ∨ z % 11 = 9 ∨ z % 11 = 10 := by
  intro z
  omega
have left : x * x * x * x * x % 11 = 0 ∨ x * x * x * x * x % 11 = 1 ∨ x * x * x * x * x % 11 = 10 := by
  rw [Int.mul_emod, Int.mul_emod (x * x * x) x, Int.mul_emod (x * x) x, Int.mul_emod x x]
  rcases rest x with g | g | g | g | g | g | g | g | g | g | g <;> (rw [g]; decide)
have right : y * y % 11 = 0 ∨ y * y % 11 = 1 ∨ y * y % 11 = 3 ∨ y * y % 11 = 4 ∨ y * y % 11 = 5 ∨ y * y % 11 = 9 := by
  rw [Int.mul_emod]
  rcases rest y with g | g | g | g | g | g | g | g | g | g | g <;> (rw [g]; decide)
rw [fifth, square] at h
generalize x * x * x * x * x = t at h left
generalize y * y = s at h right
omega
