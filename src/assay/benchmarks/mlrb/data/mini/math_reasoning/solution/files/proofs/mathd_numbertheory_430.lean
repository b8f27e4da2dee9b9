have three : b = 3 ∨ b = 6 ∨ b = 9 := by omega
rcases three with rfl | rfl | rfl <;> omega
