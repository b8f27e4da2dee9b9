have step : ∀ x, f x ∣ f (2 * x) := by
  intro x
  have cross : 6 ^ x * 6 ^ x = 4 ^ x * 9 ^ x := (Nat.mul_pow 6 6 x).symm.trans (Nat.mul_pow 4 9 x)
  rw [h₀, h₀, show 2 * x = x + x by omega, Nat.pow_add, Nat.pow_add, Nat.pow_add]
  generalize 4 ^ x = p at cross ⊢
  generalize 9 ^ x = r at cross ⊢
  generalize 6 ^ x = q at cross ⊢
  rcases Nat.lt_or_ge (p + r) q with g | g
  · exfalso
    have a : (p + r + 1) * q ≤ q * q := Nat.mul_le_mul_right q g
    rw [Nat.add_mul, Nat.add_mul, Nat.one_mul] at a
    have b : p * r ≤ p * q := Nat.mul_le_mul_left p (by omega)
    omega
  · obtain ⟨c, hc⟩ : ∃ c, p + r = q + c := ⟨p + r - q, by omega⟩
    refine ⟨c, ?_⟩
    have same : (p + r) * (p + r) = (q + c) * (q + c) := by rw [hc]
    have e1 : (p + r) * (p + r) = p * p + 2 * (p * r) + r * r := by
      rw [Nat.mul_add, Nat.add_mul, Nat.add_mul, Nat.mul_comm r p]
      omega
    have e2 : (q + c) * (q + c) = q * q + 2 * (q * c) + c * c := by
      rw [Nat.mul_add, Nat.add_mul, Nat.add_mul, Nat.mul_comm c q]
      omega
    have e3 : (p + q + r) * c = 2 * (q * c) + c * c := by
      rw [show p + q + r = 2 * q + c by omega, Nat.add_mul, Nat.mul_assoc]
    rw [e1, e2] at same
    rw [e3]
    omega
have all : ∀ d, f (2 ^ m) ∣ f (2 ^ (m + d)) := by
  intro d
  induction d with
  | zero => exact Nat.dvd_refl _
  | succ d ih =>
    have e : 2 ^ (m + (d + 1)) = 2 * 2 ^ (m + d) := by rw [← Nat.add_assoc, Nat.pow_succ, Nat.mul_comm]
    rw [e]
    exact Nat.dvd_trans ih (step _)
obtain ⟨d, hd⟩ : ∃ d, n = m + d := ⟨n - m, by omega⟩
rw [hd]
exact all d
