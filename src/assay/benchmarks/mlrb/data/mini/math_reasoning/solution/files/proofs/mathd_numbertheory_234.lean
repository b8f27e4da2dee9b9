have all : ∀ a, a < 10 → ∀ b, b < 10 → (10 * a + b) ^ 3 = 912673 → a + b = 16 := by decide +kernel
exact all a (by omega) b (by omega) h₁
