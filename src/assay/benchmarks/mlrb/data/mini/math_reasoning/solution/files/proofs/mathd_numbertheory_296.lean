rcases Nat.lt_or_ge n 4096 with h | h
· obtain ⟨x, hx⟩ := h₁
  obtain ⟨t, ht⟩ := h₂
  have x_low : x < 16 := by
    rcases Nat.lt_or_ge x 16 with g | g
    · exact g
    · have := Nat.pow_le_pow_left g 3
      omega
  have t_low : t < 8 := by
    rcases Nat.lt_or_ge t 8 with g | g
    · exact g
    · have := Nat.pow_le_pow_left g 4
      omega
  have all : ∀ x, x < 16 → ∀ t, t < 8 → x ^ 3 = t ^ 4 → 2 ≤ x ^ 3 → False := by decide +kernel
  exact (all x x_low t t_low (hx.trans ht.symm) (hx ▸ h₀)).elim
· exact h
