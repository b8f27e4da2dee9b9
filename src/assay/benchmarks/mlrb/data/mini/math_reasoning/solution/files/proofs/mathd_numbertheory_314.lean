obtain ⟨k, hk⟩ := h₂
rcases Nat.lt_or_ge k 5 with h | h
· have five : k = 0 ∨ k = 1 ∨ k = 2 ∨ k = 3 ∨ k = 4 := by omega
  rcases five with rfl | rfl | rfl | rfl | rfl <;> omega
· omega
