rcases Nat.lt_or_ge n 64 with h | h
· obtain ⟨x, hx⟩ := h₁
  obtain ⟨t, ht⟩ := h₂
  have x_low : x < 8 := by
    rcases Nat.lt_or_ge x 8 with g | g
    · exact g
    · have := Nat.pow_le_pow_left g 2
      omega
  have t_low : t < 4 := by
    rcases Nat.lt_or_ge t 4 with g | g
    · exact g
    · have := Nat.pow_le_pow_left g 3
      omega
  have all : ∀ x, x < 8 → ∀ t, t < 4 → x ^ 2 = t ^ 3 → 10 ≤ x ^ 2 → False := by decide +kernel
  exact (all x x_low t t_low (hx.trans ht.symm) (hx ▸ h₀)).elim
· exact h
