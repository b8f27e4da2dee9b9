have low : b < 5 := by
  rcases Nat.lt_or_ge b 5 with h | h
  · exact h
  · have := Nat.pow_le_pow_left h 2
    omega
have all : ∀ b, b < 5 → 3 * b ^ 2 + 2 * b + 1 = 57 → b = 4 := by decide
exact all b low h₁
