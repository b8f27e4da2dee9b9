rcases Nat.lt_or_ge seats 3 with h | h
· rw [show seats - 3 = 0 by omega] at h₁
  omega
· obtain ⟨s, hs⟩ : ∃ s, seats = s + 3 := ⟨seats - 3, by omega⟩
  subst hs
  rw [Nat.add_sub_cancel, Nat.add_mul] at h₁
  rw [Nat.mul_add] at h₀
  obtain ⟨k, hk, hs⟩ : ∃ k, rows = 5 * k ∧ s = 3 * k := ⟨rows / 5, by omega, by omega⟩
  subst hk
  subst hs
  have all : ∀ k, k < 31 → 5 * k * (3 * k) + 5 * k * 3 = 450 → 5 * k = 25 := by decide +kernel
  exact all k (by omega) h₀
