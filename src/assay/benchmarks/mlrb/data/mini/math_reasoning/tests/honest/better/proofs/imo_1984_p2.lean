by_cases h : 19 ≤ a + b
· exact h
· exfalso
  obtain ⟨m, hm⟩ : ∃ m : ℕ, a = m := ⟨a.toNat, by omega⟩
  obtain ⟨n, hn⟩ : ∃ n : ℕ, b = n := ⟨b.toNat, by omega⟩
  have all : ∀ m : ℕ, m < 19 → ∀ n : ℕ, n < 19 → ¬ (m + n < 19 ∧ m % 7 ≠ 0 ∧ n % 7 ≠ 0 ∧ (m + n) % 7 ≠ 0 ∧
      (((m : ℤ) + (n : ℤ)) ^ 7 - (m : ℤ) ^ 7 - (n : ℤ) ^ 7) % 7 ^ 7 = 0) := by decide +kernel
  subst hm
  subst hn
  exact all m (by omega) n (by omega) ⟨by omega, by omega, by omega, by omega, Int.emod_eq_zero_of_dvd h₄⟩
