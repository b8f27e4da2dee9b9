obtain ⟨k, hk⟩ := Int.dvd_of_emod_eq_zero h₃
obtain ⟨j, hj⟩ : ∃ j, 6 * x = m * j + 1 := ⟨6 * x / m, by
  have := Int.mul_ediv_add_emod (6 * x) m
  omega⟩
have e : m * (j - 6 * k) = m * j - 6 * (m * k) := by rw [Int.mul_sub, Int.mul_left_comm]
have d : m ∣ 215 := ⟨j - 6 * k, by omega⟩
have all : ∀ r, r < 100 → 10 ≤ r → ((r : Nat) : Int) ∣ 215 → r = 43 := by decide +kernel
have found := all m.toNat (by omega) (by omega) (by rw [Int.toNat_of_nonneg (by omega)]; exact d)
omega
