have all : ∀ k, ∃ q, 3 ^ (2 ^ (k + 1)) = 2 ^ (k + 4) * q + 2 ^ (k + 3) + 1 := by
  intro k
  induction k with
  | zero => exact ⟨0, by decide⟩
  | succ k ih =>
    obtain ⟨q, hq⟩ := ih
    have double : 3 ^ (2 ^ (k + 1 + 1)) = 3 ^ (2 ^ (k + 1)) * 3 ^ (2 ^ (k + 1)) := by
      rw [← Nat.pow_add, ← Nat.mul_two, ← Nat.pow_succ]
    have p3 : 2 ^ (k + 3) = 2 ^ (k + 1) * 4 := Nat.pow_add 2 (k + 1) 2
    have p4 : 2 ^ (k + 4) = 2 ^ (k + 1) * 8 := Nat.pow_add 2 (k + 1) 3
    have q3 : 2 ^ (k + 1 + 3) = 2 ^ (k + 1) * 8 := Nat.pow_add 2 (k + 1) 3
    have q4 : 2 ^ (k + 1 + 4) = 2 ^ (k + 1) * 16 := Nat.pow_add 2 (k + 1) 4
    refine ⟨q + 2 ^ (k + 1) * ((2 * q + 1) * (2 * q + 1)), ?_⟩
    simp only [double, hq, q3, q4, p3, p4]
    generalize 2 ^ (k + 1) = s
    grind
obtain ⟨m, hm⟩ : ∃ m, n = m + 1 := ⟨n - 1, by omega⟩
obtain ⟨q, hq⟩ := all m
rw [hm, hq, Nat.add_sub_cancel]
show (2 ^ (m + 4) * q + 2 ^ (m + 3)) % 2 ^ (m + 4) = 2 ^ (m + 3)
rw [Nat.mul_add_mod]
apply Nat.mod_eq_of_lt
have twice : 2 ^ (m + 4) = 2 ^ (m + 3) * 2 := by rw [show m + 4 = m + 3 + 1 from rfl, Nat.pow_succ]
have some : 0 < 2 ^ (m + 3) := Nat.two_pow_pos _
rw [twice]
generalize 2 ^ (m + 3) = s at some ⊢
omega
