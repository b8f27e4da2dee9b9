rcases Nat.lt_or_ge k 5 with h | h
· have four : k = 1 ∨ k = 2 ∨ k = 3 ∨ k = 4 := by omega
  rcases four with rfl | rfl | rfl | rfl
  · exact absurd (h₃ 1) (by decide)
  · exact absurd (h₂ 1) (by decide)
  · exact absurd (h₁ 1) (by decide)
  · exact absurd (h₂ 1) (by decide)
· exact h
