have small : ∀ q, q < 32 → ∀ r, r < 64 → 64 * q + r ∣ 2005 →
    64 * q + r = 1 ∨ 64 * q + r = 5 ∨ 64 * q + r = 401 ∨ 64 * q + r = 2005 := by decide +kernel
have dm : m ∣ 2005 := ⟨n, h₂.symm⟩
have top := Nat.le_of_dvd (by decide) dm
have found := small (m / 64) (by omega) (m % 64) (by omega)
rw [Nat.div_add_mod] at found
rcases found dm with rfl | rfl | rfl | rfl <;> omega
