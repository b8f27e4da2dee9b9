have low : y ≤ 7 := by
  by_cases h : y ≤ 7
  · exact h
  · have := Int.mul_le_mul (show 9 ≤ x by omega) (show 8 ≤ y by omega) (by omega) (by omega)
    omega
have seven : y = 1 ∨ y = 2 ∨ y = 3 ∨ y = 4 ∨ y = 5 ∨ y = 6 ∨ y = 7 := by omega
rcases seven with rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega
