have two : 0 < 2 ^ x := Nat.pos_of_ne_zero fun h => by rw [h] at h₀; omega
have three : 0 < 3 ^ y := Nat.pos_of_ne_zero fun h => by rw [h] at h₀; omega
have hx : x < 11 := by
  rcases Nat.lt_or_ge x 11 with h | h
  · exact h
  · have a := Nat.pow_le_pow_right (show 2 > 0 by decide) h
    have b := Nat.le_mul_of_pos_right (2 ^ x) three
    omega
have hy : y < 7 := by
  rcases Nat.lt_or_ge y 7 with h | h
  · exact h
  · have a := Nat.pow_le_pow_right (show 3 > 0 by decide) h
    have b := Nat.le_mul_of_pos_left (3 ^ y) two
    omega
have all : ∀ x, x < 11 → ∀ y, y < 7 → 2 ^ x * 3 ^ y = 1296 → x + y = 8 := by decide +kernel
exact all x hx y hy h₀
