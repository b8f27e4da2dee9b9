have product := Nat.gcd_mul_lcm a b
rw [h₃] at product
have da : 6 ∣ a := h₃ ▸ Nat.gcd_dvd_left a b
have db : 6 ∣ b := h₃ ▸ Nat.gcd_dvd_right a b
rcases Nat.lt_or_ge b 54 with h | h
· have b_is : b = 24 := by omega
  subst b_is
  rcases Nat.lt_or_ge a 42 with g | g
  · have a_is : a = 12 := by omega
    subst a_is
    exact absurd h₃ (by decide)
  · omega
· have := Nat.mul_le_mul (show 12 ≤ a by omega) h
  omega
